/** Every load reads the server's epoch along, so that nothing is answered without it. */
export const noServerRow = (): Error => new Error('The table "server" has lost its row: apply the migrations.');
