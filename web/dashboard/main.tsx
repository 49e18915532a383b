import { render } from 'preact';
import '../shared/forms.css';
import './dashboard.css';
import { leaveDraft } from '../shared/kept-drafts.ts';
import { forgetFiles } from '../shared/save-file.ts';
import { App } from './app.tsx';
import { startRouting } from './route.ts';
import { onSignOut, watchOtherTabs } from './session.ts';
import { forgetSchema } from './unsaved-schema.ts';

onSignOut(forgetFiles);
onSignOut(() => leaveDraft(undefined));
onSignOut(forgetSchema);
watchOtherTabs();
startRouting();
const app = document.getElementById('app');
if (app) render(<App />, app);
