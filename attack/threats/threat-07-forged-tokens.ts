/** Threat 7: the gate refuses everything that is not one of its permits to the last character, and says why. */

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type PublicJwks, type Receipt, verifyReceiptOffline } from '@permitry/protocol';
import {
  FORGED_PERMITS,
  type ForgersKit,
  forgePermit,
  isForgeableBy,
} from '../../packages/protocol/test-data/forged-permits.ts';
import type { CatalogueEntry } from '../attack-case.ts';
import { makeDeviceKey } from '../device-key.ts';
import { check, expectDone, expectInvalidPermit, expectRefused } from '../range/expect.ts';
import type { HttpClient } from '../range/http-client.ts';
import type { Range } from '../range/range.ts';
import type { Stage } from '../range/stage.ts';
import { NotProvided } from '../undefended.ts';

/** The table's reason is that of a verifier who knows only the token. The gate also remembers what it approved. */
const TO_THE_GATE: Readonly<Record<string, string>> = {
  'params_hash of other parameters': 'tampered',
  'another action': 'tampered',
};

/** What a forger with a permit has: in the gate's process its signing key, and outside only the public key. */
async function kitFor({ client, clock, inside }: Range, token: string): Promise<ForgersKit> {
  const gateKey = inside?.findSigningKey() ?? (await gateKeyOf(client, token));
  return { token, gateKey, now: Math.floor(clock.now() / 1000) };
}

/** The public key for a token's signature, which is all that an outsider has. */
async function gateKeyOf(client: HttpClient, token: string): Promise<KeyObject> {
  const answer = expectDone(await client.call('GET', '/.well-known/jwks.json'), 'reading the keys');
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as {
    kid: string;
  };
  const key = (answer.body.keys as (JsonWebKey & { kid: string })[]).find((jwk) => jwk.kid === kid);
  check(key !== undefined, 'the key that signed a permit is not among the published ones', answer);
  return createPublicKey({ key, format: 'jwk' });
}

async function expectNoPermit(
  main: Stage,
  token: string,
  shown: object,
  reason: string | readonly string[],
  what: string,
): Promise<void> {
  for (const surface of main.surfaces) {
    for (const consume of [false, true]) {
      const answer = await surface.verify(main.verifierKey, { ...shown, token, consume });
      expectInvalidPermit(surface.name, answer, reason, what);
    }
  }
}

export const FORGED_TOKENS: readonly CatalogueEntry[] = [
  {
    id: 'T07-forged',
    title: 'forged permits',
    threats: ['7'],
    aisvs: ['9.2.8', '9.2.9', '9.5.2'],
    attack:
      'alg none, HS256 with the public key, foreign keys named or embedded, jku, x5u, crit, changed claims, zero, cut and re-encoded signatures, padding and trailing bytes.',
    expected: 'permit_invalid, as malformed, tampered or of an unknown key; the genuine permit stays good.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run(range) {
      let count = 0;
      for (const stage of range.ofEachMode) {
        const { id, shown } = await stage.newPermit();
        const kit = await kitFor(range, shown.token);
        const forgeries = FORGED_PERMITS.filter(
          (forgery) => forgery.expected !== null && isForgeableBy(forgery, kit.gateKey),
        );
        count += forgeries.length;
        await stage.unchanged('forged permits', { intents: [id], whole: false }, async () => {
          for (const forgery of forgeries) {
            const reason = TO_THE_GATE[forgery.name] ?? forgery.expected ?? '';
            await expectNoPermit(stage, forgePermit(forgery, kit), shown, reason, forgery.name);
          }
          for (const key of [stage.verifierKey, stage.agentKey, stage.observer]) {
            for (const surface of stage.surfaces) {
              const genuine = await surface.verify(key, shown);
              check(genuine.body.authorizes === true, 'the genuine permit does not hold either', genuine);
            }
          }
        });
      }
      return `${count} forgeries, both surfaces, to check and to use`;
    },
  },
  {
    id: 'T07-other-tokens',
    title: 'other tokens in a permit’s place',
    threats: ['7'],
    aisvs: ['9.2.8', '9.5.2'],
    attack:
      'Receipts, heads of the audit chain, signatures of device keys, keys, ids and rubbish are shown as permits.',
    expected: 'permit_invalid: not_a_permit, or malformed.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ ofEachMode }) {
      for (const main of ofEachMode) {
        const { id, shown } = await main.newPermit();
        const read = await main.surfaces[0].read(main.agentKey, id);
        const audit = await main.call('GET', `${main.root}/audit/verify`, { key: main.observer });
        const receipt = (read.body.receipt_v2 as { jws: string }).jws;
        const head = (audit.body.head as { jws: string } | null)?.jws;
        await main.unchanged('other tokens', { intents: [id], whole: false }, async () => {
          const proof = makeDeviceKey().prove('A'.repeat(43));
          for (const token of [receipt, proof, ...(head === undefined ? [] : [head])])
            await expectNoPermit(main, token, shown, 'not_a_permit', 'a token of another kind');
          for (const token of [
            main.verifierKey,
            ...(main.keys.secret_key ? [main.secretKey] : []),
            id,
            'null',
            '{}',
            '..',
            'a.b.c',
            '',
            '\u0000',
            'ÿ'.repeat(300),
            'hello, world',
            'x'.repeat(100_000),
            ['a', 'b', 'c'].map((part) => part.repeat(50_000)).join('.'),
            `${shown.token}${'A'.repeat(100_000)}`,
          ])
            await expectNoPermit(main, token, shown, 'malformed', `${token.slice(0, 12)}…`);
        });
      }
    },
  },
  {
    id: 'T07-receipt',
    title: 'a receipt that authorises',
    threats: ['7'],
    aisvs: ['9.2.8', '9.5.2'],
    attack:
      'A genuine receipt is used like a permit, and receipts with changed members are shown as evidence.',
    expected: 'A receipt never authorises and cannot be consumed; a changed one is permit_invalid.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ ofEachMode }) {
      for (const main of ofEachMode) {
        const { id, shown } = await main.newPermit();
        const receipt = (await main.surfaces[0].read(main.agentKey, id)).body.receipt_v2 as Record<
          string,
          unknown
        >;
        const verify = (body: object) =>
          main.unchanged('showing a receipt', { intents: [id], whole: false }, () =>
            main.call('POST', '/api/intents/permit/verify', { key: main.verifierKey, body }),
          );
        const bound = { action: shown.action, context: shown.params };
        const genuine = expectDone(await verify({ receipt, ...bound }), 'showing a genuine receipt');
        const { valid, bound: isBound, authorizes, consumed } = genuine.body;
        check(!authorizes && !consumed, 'a receipt authorises', genuine);
        check(valid === true && isBound === true, 'a genuine receipt is not valid', genuine);
        for (const more of [{ consume: true }, { permit_token: shown.token }]) {
          const what = `a receipt with ${Object.keys(more)}`;
          expectRefused('A', await verify({ receipt, ...bound, ...more }), 400, 'INVALID_FIELDS', what);
        }
        for (const [what, changed, reason] of [
          ['another action', { ...receipt, action: 'another.action' }, 'tampered'],
          ['another approver', { ...receipt, approved_by: 'somebody@example.org' }, 'tampered'],
          ['a member more', { ...receipt, extra: 1 }, 'tampered'],
          ['a member less', { ...receipt, params_hash: undefined }, 'tampered'],
          ['a signature cut', { ...receipt, jws: String(receipt.jws).replace(/.$/, '') }, 'malformed'],
          ['a permit for its signature', { ...receipt, jws: shown.token }, 'malformed'],
          ['no signature', { ...receipt, jws: undefined }, 'malformed'],
          ['nothing', {}, 'malformed'],
          ['a permit in its place', shown.token, 'malformed'],
        ] as const)
          expectInvalidPermit(
            'A',
            await verify({ receipt: changed, ...bound }),
            reason,
            `a receipt with ${what}`,
          );
      }
    },
  },
  {
    id: 'T07-twin',
    title: 'another text of the same permit',
    threats: ['7', '8'],
    aisvs: ['9.2.8', '9.5.2'],
    attack: 'The signature of a permit is turned into its other form, which is as right, and both are used.',
    expected: 'One use: already_used for the second, whichever it is.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run(range) {
      for (const main of range.ofEachMode) {
        const [a, b] = main.surfaces;
        for (const forgery of FORGED_PERMITS.filter(({ expected }) => expected === null)) {
          const { id, shown } = await main.newPermit();
          const kit = await kitFor(range, shown.token);
          if (!isForgeableBy(forgery, kit.gateKey)) continue;
          const twin = forgePermit(forgery, kit);
          const use = { ...shown, consume: true };
          const used = expectDone(
            await a.verify(main.verifierKey, { ...use, token: twin }),
            'using the twin',
          );
          check(used.body.consumed === true, 'the twin used nothing', used);
          await main.unchanged('a second use', { intents: [id], whole: false }, async () => {
            for (const token of [shown.token, twin])
              expectInvalidPermit(
                'B',
                await b.verify(main.verifierKey, { ...use, token }),
                'already_used',
                'a twin',
              );
          });
        }
      }
    },
  },
  {
    id: 'T07-resigned',
    title: 'permits signed with the gate’s own key that it never gave out',
    threats: ['7'],
    aisvs: [],
    attack:
      'An attacker with the signing key signs a permit for another intent, for none, and with another id.',
    expected: 'permit_invalid, revoked: the gate knows what it approved.',
    needs: ['inside', 'agent', 'verifier', 'decider', 'observer'],
    async run(range) {
      for (const main of range.ofEachMode) {
        const gateKey = range.inside?.findSigningKey();
        if (gateKey === undefined) throw new NotProvided('a signing key in a file that is not encrypted');
        const { id, shown } = await main.newPermit();
        const kit = { ...(await kitFor(range, shown.token)), gateKey };
        const other = await main.newIntent();
        await main.unchanged('permits signed again', { intents: [id, other] }, async () => {
          for (const set of [
            { txn: other },
            { txn: 'int_01hzzzzzzzzzzzzzzzzzzzzzzz' },
            { jti: 'pmt_01hzzzzzzzzzzzzzzzzzzzzzzz' },
          ]) {
            const forgery = { name: '', expected: '', source: '', sign: 'gate', claims: { set } } as const;
            const what = `one with another ${Object.keys(set)}`;
            await expectNoPermit(main, forgePermit(forgery, kit), shown, 'revoked', what);
          }
        });
      }
    },
  },
  {
    id: 'T07-altered',
    title: 'a permit and a receipt that were altered where they are stored',
    threats: ['7', '18'],
    aisvs: [],
    attack: 'An attacker with the database writes another action into an issued permit and its receipt.',
    expected: 'Both are tampered, to the gate and to a verifier offline; the intent is listed as ever.',
    needs: ['inside', 'agent', 'secret', 'verifier', 'decider', 'observer'],
    async run({ ofEachMode, client, clock, inside }) {
      for (const main of ofEachMode) {
        const { id, shown } = await main.newPermit();
        const other = main.action('payout');
        const read = async () => (await main.surfaces[0].read(main.agentKey, id)).body;
        const genuine = (await read()).receipt_v2 as Receipt;
        await inside?.alter(
          `update issued set token = replace(token, '${shown.action}', '${other}'),
        receipt = replace(receipt, '${shown.action}', '${other}')
        where receipt_index = (select receipt_index from intents where id = '${id}')`,
        );
        const found = await read();
        const receipt = found.receipt_v2 as Receipt;
        check(receipt.action === other, 'the attack could not be set up: nothing was altered');
        const jwks = (await client.call('GET', '/.well-known/jwks.json')).body as unknown as PublicJwks;
        const issuer = new URL(String(found.approval_url)).origin;
        for (const form of [receipt, receipt.jws]) {
          const told = await verifyReceiptOffline(form, { jwks, issuer, now: clock.now() / 1000 });
          check(!told.ok && told.reason === 'tampered', `offline it is ${JSON.stringify(told)}`);
        }
        await main.unchanged('what was altered', { intents: [id], whole: false }, async () => {
          for (const body of [
            { receipt },
            { receipt: receipt.jws },
            { receipt: genuine },
            { receipt: genuine.jws },
            { permit_token: found.permit_token, action: other, context: shown.params },
          ]) {
            const path = '/api/intents/permit/verify';
            const answer = await main.call('POST', path, { key: main.verifierKey, body });
            expectInvalidPermit('A', answer, 'tampered', 'what was altered');
          }
        });
        const list = await main.call('GET', '/api/intents?status=resolved', { key: main.secretKey });
        check(list.text.includes(id), 'the intent is not listed any more', list);
      }
    },
  },
];
