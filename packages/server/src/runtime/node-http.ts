import type * as Http from 'node:http';

/**
 * `node:http`, loaded without an import. An import would also load Node's `fetch` (8 MB, 50 ms), because `WebSocket` is
 * among the exports.
 */
export const http: typeof Http = process.getBuiltinModule('node:http');
