/**
 * The browser settings of the tests: the bundled browser, whatever the machine has installed, or the path in the environment
 * variable PLATEN_TEST_BROWSER.
 */
export const BROWSER_SETTINGS = { PLATEN_BROWSER_PATH: process.env.PLATEN_TEST_BROWSER || 'bundled' };
