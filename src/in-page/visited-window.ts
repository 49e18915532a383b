/** The bundle for windows that load documents from URLs, before any of their scripts. */
import { ask } from './ask.ts';
import { prepareWindow } from './window/prepare-window.ts';

prepareWindow(ask, removeServiceWorkers);

/** Service workers would outlive their document. */
function removeServiceWorkers(): void {
  Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
}
