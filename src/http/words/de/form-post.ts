import type { formPost as english } from '../en/form-post.ts';

export const formPost: typeof english = {
  title: 'Zurück zur App',
  continue: 'Weiter',
};
