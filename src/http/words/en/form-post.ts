/** The page that brings the answer back to the app; seen only where a browser runs no script. */
export const formPost = {
  title: 'Back to the app',
  continue: 'Continue',
};
