/** Threat 15: an address from a user never leads into the gate's own network. */
import { createServer } from 'node:net';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused, idOf } from '../range/expect.ts';
import { PRIVATE_TARGETS } from '../tables/private-targets.ts';

/** Keys that belong to nobody, with the required lengths. */
const KEYS = {
  p256dh: Buffer.alloc(65, 4).toString('base64url'),
  auth: Buffer.alloc(16).toString('base64url'),
};
const DEVICES = '/console/account/push-subscriptions';

export const PRIVATE_TARGETS_CASES: readonly CatalogueEntry[] = [
  {
    id: 'T15-webhooks',
    title: 'addresses in the private network',
    threats: ['15'],
    aisvs: [],
    attack:
      'An approver names loopback, private, link-local and metadata addresses, in every spelling, as the push service of a device, and asks for test messages; an admin names them as a chat hook.',
    expected:
      '400 for each; nothing is kept, and nothing is connected to. Redirects and names that resolve elsewhere are tried by the tests.',
    needs: ['agent', 'manager', 'observer', 'somebody who signs in'],
    async run({ main }) {
      const headers = await main.signIn();
      const chatHook = `/console/projects/${main.projectId}/chat-hook`;
      const call = (method: string, path: string, body?: object) =>
        main.call(method, path, { headers, ...(body ? { body } : {}) });
      const listener = await listen();
      const here: readonly (readonly [string, string])[] = [
        ['a port that listens on this machine', `https://127.0.0.1:${listener.port}/`],
        ['the same by name', `https://localhost:${listener.port}/`],
      ];
      try {
        for (const [what, endpoint] of [...PRIVATE_TARGETS, ...here]) {
          const answer = await call('POST', DEVICES, { label: 'Phone', endpoint, keys: KEYS });
          if (answer.status === 201) {
            await call('POST', '/console/account/notifications/test', {});
            await call('DELETE', `${DEVICES}/${String(answer.body.id)}`);
          }
          expectRefused('B', answer, 400, 'INVALID_FIELDS', what);
          const hook = { url: endpoint, kinds: ['waiting'], minimum_risk_tier: 'low' };
          const chat = await main.call('PUT', chatHook, { ...(await main.managing()), body: hook });
          expectRefused('B', chat, 400, 'INVALID_FIELDS', `a chat hook: ${what}`);
        }
        const own = expectDone(await call('GET', '/console/account/notifications'), 'reading the devices');
        check(Array.isArray(own.body.devices) && own.body.devices.length === 0, 'a device was kept', own);
        check(
          listener.connections() === 0,
          `${listener.connections()} connections were made to this machine`,
        );
      } finally {
        await listener.close();
      }
      return `${PRIVATE_TARGETS.length + here.length} addresses`;
    },
  },
  {
    id: 'T15-webhook-targets',
    title: 'webhooks into the private network',
    threats: ['15'],
    aisvs: [],
    attack:
      'Somebody who manages webhooks names loopback, private, link-local and metadata addresses, in every spelling, for a new webhook and for one that is there.',
    expected:
      '400 for each; none is kept, and the one that is there keeps its address. Redirects, and names that resolve elsewhere later, are tried by the tests.',
    needs: ['manager'],
    async run({ main }) {
      const url = `https://${main.name('hook')}.invalid/hook`;
      const there = expectDone(
        await main.manage('POST', '/webhooks', { url, event_types: ['key.revoked'] }),
        'making a webhook',
      );
      const path = `/webhooks/${idOf(there)}`;
      main.takeBack(() => main.manage('DELETE', path));
      main.client.secrets.add(String(there.body.secret), 'the secret of a webhook made for the attack');
      for (const [what, target] of PRIVATE_TARGETS) {
        const made = await main.manage('POST', '/webhooks', { url: target, event_types: ['key.revoked'] });
        if (made.status === 201) await main.manage('DELETE', `/webhooks/${idOf(made)}`);
        expectRefused('B', made, 400, 'INVALID_FIELDS', `a webhook to ${what}`);
        const changed = await main.manage('PATCH', path, { url: target });
        expectRefused('B', changed, 400, 'INVALID_FIELDS', `a webhook changed to ${what}`);
      }
      const now = expectDone(await main.manage('GET', path), 'reading the webhook');
      check(now.body.url === url, 'the webhook leads elsewhere now', now);
      return `${PRIVATE_TARGETS.length} addresses`;
    },
  },
];

/** Counts connections to this machine. If the gate runs elsewhere, there are none. */
async function listen() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
    close: () => new Promise((done) => server.close(done)),
  };
}
