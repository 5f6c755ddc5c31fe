/** The floor: a bare Fastify POST that validates the same 400-byte body and answers as many bytes. */
import Fastify from 'fastify';
import { announce } from './child-server.ts';

const app = Fastify();
const body = {
  type: 'object',
  required: ['action', 'params'],
  additionalProperties: false,
  properties: {
    action: { type: 'string', maxLength: 128 },
    params: { type: 'object', additionalProperties: true },
    metadata: { type: 'object', additionalProperties: true },
  },
};
app.post('/floor', { schema: { body } }, async (request) => request.body);
await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
announce({ port: typeof address === 'object' && address ? address.port : 0 }, () => ({ commits: 0 }));
