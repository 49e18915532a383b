/**
 * The name in localStorage of the id of the key that is signed in, so that tabs know what others have done. It is missing after
 * a sign-out, and empty if the session has ended by itself.
 */
export const SIGNED_IN = 'platen.signed-in';
