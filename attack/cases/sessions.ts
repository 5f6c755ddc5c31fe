/** Threat 14: what another page, a planted cookie or a stolen one can do with somebody's session. */
import type { AttackCase } from '../attack-case.ts';
import { check, expectDone, expectRefused, expectStatus } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';

/** As a browser sends it from a page that is not the gate's. */
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  {},
];

function expectGuarded(answer: Answer): void {
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/'])
    check(cookie.includes(attribute), `the session's cookie is not ${attribute}`, answer);
  check(cookie.startsWith('__Host-'), 'a page of another host may set the cookie', answer);
}

export const SESSIONS: readonly AttackCase[] = [
  {
    id: 'T14-sessions',
    title: 'sessions and cookies of people',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'With an approver’s cookie, decisions and sign-ins are sent as from another page; a cookie is planted before a sign-in; a stolen one is used where a passkey is asked for, beside a wrong key, and after the person signed out.',
    expected: '403 from other pages, 401 for a cookie that was planted or signed out, and never an approval.',
    needs: ['agent', 'observer', 'somebody who signs in'],
    async run({ main }) {
      const id = await main.newIntent();
      const asked = expectDone(await main.surfaces[1].read(main.agentKey, id), 'reading');
      const own = new URL(String(asked.body.approval_url)).origin;
      const planted = await main.signIn(own);
      const { email, password } = main.findSignIn ?? {};
      const signedIn = expectDone(
        await main.call('POST', '/console/sign-in', { headers: planted, body: { email, password } }),
        'signing in with a planted cookie',
      );
      expectGuarded(signedIn);
      const [cookie = ''] = signedIn.headers['set-cookie']?.[0]?.split(';') ?? [];
      main.client.secrets.add(cookie.slice(cookie.indexOf('=') + 1), `the session of ${email}`);
      const path = `/v1/intents/${id}/approve`;
      const approve = (headers: Record<string, string>, key?: string) =>
        main.call('POST', path, { headers, key, body: {} });

      await main.unchanged('a session', { intents: [id], whole: false }, async () => {
        expectRefused('B', await approve(planted), 401, 'UNAUTHORIZED', 'the planted cookie');
        for (const headers of FOREIGN) {
          const decided = await approve({ cookie, ...headers });
          expectRefused('B', decided, 403, 'FORBIDDEN', 'another page', { required: 'same_origin' });
          const entered = await main.call('POST', '/console/sign-in', { headers, body: { email, password } });
          expectStatus(entered, 403, 'a sign-in from another page');
          check(entered.headers['set-cookie'] === undefined, 'it set a cookie', entered);
        }
        const beside = await approve({ cookie, origin: own }, `${main.decider}x`);
        expectRefused('B', beside, 401, 'UNAUTHORIZED', 'a cookie beside a wrong key');
      });

      const guarded = await main.newIntent(main.action('session'), {}, { proof_tier: 'passkey' });
      const look = { headers: { cookie, origin: own } };
      const shown = expectDone(await main.call('GET', `/console/intents/${guarded}`, look), 'looking at it');
      const { intent_hash } = shown.body;
      await main.unchanged('a stolen cookie', { intents: [guarded], whole: false }, async () => {
        const answer = await main.call('POST', `/v1/intents/${guarded}/approve`, {
          headers: { cookie, origin: own },
          body: { intent_hash },
        });
        expectRefused('B', answer, 403, 'PROOF_REQUIRED', 'a stolen cookie where a passkey is asked for');
      });

      const headers = { cookie, origin: own };
      expectDone(await main.call('POST', '/console/sign-out', { headers, body: {} }), 'signing out');
      await main.unchanged('a session that ended', { intents: [id], whole: false }, async () => {
        expectRefused('B', await approve(headers), 401, 'UNAUTHORIZED', 'a cookie that was signed out');
      });
      return undefined;
    },
  },
];
