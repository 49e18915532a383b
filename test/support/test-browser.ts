/**
 * The browser of the suites, as settings: the bundled one, whatever the machine has installed, unless the environment variable
 * PLATEN_TEST_BROWSER names another by its path.
 */
export const BROWSER_SETTINGS = { PLATEN_BROWSER_PATH: process.env.PLATEN_TEST_BROWSER || 'bundled' };
