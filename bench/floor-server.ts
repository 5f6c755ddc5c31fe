/**
 * The floor: a bare Fastify server. Its POST validates the same 400-byte body, and POST and GET answer as many bytes.
 */
import Fastify from 'fastify';
import { announce } from './child-server.ts';
import { createBody } from './workload.ts';

const ANSWER = JSON.parse(createBody(0));

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
app.get('/floor/:id', async () => ANSWER);
await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
announce(typeof address === 'object' && address ? address.port : 0, () => 0);
process.once('disconnect', () => process.exit(0));
