/** Threats 15 and 19: where webhooks lead, and what is told of them. */
import type { AttackCase } from '../attack-case.ts';
import { check, expectDone, expectRefused, idOf } from '../range/expect.ts';
import { PRIVATE_TARGETS } from '../tables/private-targets.ts';

export const WEBHOOKS: readonly AttackCase[] = [
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
  {
    id: 'T19-webhook-secret',
    title: 'the secret of a webhook, a second time',
    threats: ['19'],
    aisvs: [],
    attack:
      'The secret of a webhook, and a token in its address, are looked for where they were shown before: in a repetition under the same Idempotency-Key, in lists, in the audit log.',
    expected: 'The secret was shown once; the audit log names the host of the address, and no more of it.',
    needs: ['manager', 'observer'],
    async run({ main }) {
      const token = main.name('token');
      const body = {
        url: `https://${main.name('hook')}.invalid/hook?token=${token}`,
        event_types: ['key.revoked'],
      };
      const key = { 'idempotency-key': main.name('idempotency') };
      const made = expectDone(await main.manage('POST', '/webhooks', body, key), 'making a webhook');
      const path = `/webhooks/${idOf(made)}`;
      main.takeBack(() => main.manage('DELETE', path));
      const secret = String(made.body.secret);
      main.client.secrets.add(secret, 'the secret of a webhook made for the attack');
      check(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret), 'the secret is none of the specification', made);
      const rotated = expectDone(
        await main.manage('POST', `${path}/rotate-secret`, {}),
        'rotating its secret',
      );
      const second = String(rotated.body.secret);
      main.client.secrets.add(second, 'the secret of a webhook made for the attack');
      check(second !== secret, 'the secret stayed what it was', rotated);
      const again = await main.manage('POST', '/webhooks', body, key);
      const shown = [
        again,
        await main.manage('GET', '/webhooks'),
        await main.manage('GET', path),
        await main.manage('GET', `${path}/deliveries`),
      ];
      const audit = await main.call('GET', `${main.root}/audit?limit=200`, { key: main.observer });
      for (const answer of [...shown, audit]) {
        for (const text of [secret, second])
          check(!answer.text.includes(text), 'a secret is shown again', answer);
      }
      check(audit.text.includes('webhook.created'), 'the audit log does not tell of the webhook', audit);
      check(!audit.text.includes(token), 'the audit log shows the token of an address', audit);
      return 'a creation, a rotation, 5 places';
    },
  },
];
