import { render } from 'preact';
import './dashboard.css';
import { App } from './app.tsx';
import { startRouting } from './route.ts';

startRouting();
const app = document.getElementById('app');
if (app) render(<App />, app);
