/** Threat 19: no response shows a secret. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, idOf } from '../range/expect.ts';
import type { Heard } from '../range/http-client.ts';
import { KEY, kindOf, SIGNED_TOKEN } from '../range/secrets.ts';

/** Who can see a permit, and where: its requester and secret keys, in responses about one intent. */
function mayHoldPermit({ method, path, key }: Heard): boolean {
  const isSingle =
    /^\/(api|v1)\/intents(\/int_\w+)?(\/(permit|approve))?(\?.*)?$/.test(path) &&
    !(method === 'GET' && /intents(\?|$)/.test(path));
  return isSingle && /^prm_(agent|secret)_/.test(key ?? '');
}

export const SECRETS: readonly CatalogueEntry[] = [
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
  {
    id: 'T19-misplaced',
    title: 'a key where something else belongs',
    threats: ['19'],
    aisvs: ['9.5.4'],
    attack:
      'Keys and permits are sent as ids, cursors, member names, actions, media types and methods, as it happens to people.',
    expected: 'No answer repeats them, and none tells of the inside: no path, no statement, no stack.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      const { shown } = await main.newPermit();
      for (const secret of [main.agentKey, main.decider, shown.token]) {
        const heart = secret.startsWith('prm_') ? secret.slice(-49, -6) : (secret.split('.')[2] ?? '');
        const short = secret.slice(0, 150);
        const key = main.observer;
        const attempts = [
          main.call('GET', `/v1/intents/${secret}`, { key }),
          main.call('GET', `/v1/projects/${secret}/audit`, { key }),
          main.call('GET', `/nothing/${secret}?key=${secret}`),
          main.call('GET', `/api/intents?cursor=${short}`, { key }),
          main.call('GET', `/api/intents?${short}=1`, { key }),
          main.call('GET', '/api/intents', { headers: { authorization: `Basic ${secret}` } }),
          main.call('GET', '/metrics', { key: secret }),
          main.call('POST', '/v1/intents', { key, body: { [secret]: 1 } }),
          main.call('POST', '/v1/intents', { key, body: { action: [secret], risk_tier: secret } }),
          main.call('POST', '/v1/intents', { key, body: `{"${secret}":1,"${secret}":2}` }),
          main.call('POST', '/v1/intents', { key, body: `{"action":"${secret}` }),
          main.call('POST', '/v1/intents', {
            key,
            body: { action: 'a' },
            headers: { 'content-type': short },
          }),
          main.call('POST', '/v1/permits/validate', { key, body: { token: `${secret}x` } }),
          main.call('LOCK', `/${secret}`),
        ];
        for (const answer of await Promise.all(attempts)) {
          check(answer.status >= 400 && answer.status < 500, `answered with ${answer.status}`, answer);
          check(!answer.text.includes(heart), 'an answer repeats the secret', answer);
          check(
            !/ at .*\.[jt]s:\d+|select .* from |node_modules|\/home\/|sqlite/i.test(answer.text),
            'an answer tells of the inside',
            answer,
          );
        }
      }
    },
  },
  {
    id: 'T19-answers',
    title: 'a look back at every answer of this run',
    threats: ['19', '2b'],
    aisvs: ['9.5.4'],
    attack:
      'Every answer of all attacks is searched for keys, and for permits in other hands than their requester’s and secret keys.',
    expected: 'A key stands only in the answer that made it, a permit only where its requester reads it.',
    needs: ['agent'],
    when: 'last',
    async run({ client }) {
      for (const heard of client.heard) {
        const { method, path, status, text } = heard;
        const madeKey = method === 'POST' && path.endsWith('/keys') && status === 201;
        const keys = text.match(KEY) ?? [];
        check(
          keys.length === 0 || (madeKey && keys.length === 1),
          `${method} ${client.secrets.scrub(path)} answers with a key`,
        );
        const permits = (text.match(SIGNED_TOKEN) ?? []).filter((token) =>
          kindOf(token).startsWith('permit'),
        );
        check(
          permits.length === 0 || mayHoldPermit(heard),
          `${method} ${client.secrets.scrub(path)} answers ${client.secrets.holderOf(heard.key)} with a permit`,
        );
      }
      return `${client.heard.length} answers`;
    },
  },
];
