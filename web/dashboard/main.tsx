import { render } from 'preact';
import './dashboard.css';
import { forgetFiles } from '../shared/save-file.ts';
import { App } from './app.tsx';
import { startRouting } from './route.ts';
import { onSignOut, watchOtherTabs } from './session.ts';

onSignOut(forgetFiles);
watchOtherTabs();
startRouting();
const app = document.getElementById('app');
if (app) render(<App />, app);
