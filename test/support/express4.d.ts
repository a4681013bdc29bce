/** Express 4 beside Express 5, whose types fit what the tests use of it. */
declare module 'express4' {
  export { default } from 'express';
}
