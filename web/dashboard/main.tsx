import { render } from 'preact';
import './dashboard.css';
import { App } from './app.tsx';
import { startPlaces } from './route.ts';

startPlaces();
const app = document.getElementById('app');
if (app) render(<App />, app);
