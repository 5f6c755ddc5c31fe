import type * as Http from 'node:http';

/** `node:http`. Imported it would load Node's `fetch` as well, for a `WebSocket` among its exports: 8 MB, and 50 ms. */
export const http: typeof Http = process.getBuiltinModule('node:http');
