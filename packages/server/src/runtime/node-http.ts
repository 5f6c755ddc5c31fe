import type * as Http from 'node:http';

/** `node:http`. An import would also load Node's `fetch`, for a `WebSocket` among its exports: 8 MB, and 50 ms. */
export const http: typeof Http = process.getBuiltinModule('node:http');
