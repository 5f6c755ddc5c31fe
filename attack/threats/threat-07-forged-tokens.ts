/** Threat 7: whatever is no permit of this gate, to the last character, is refused, with its reason. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  FORGED_PERMITS,
  forgePermit,
  isForgeableBy,
} from '../../packages/protocol/test-data/forged-permits.ts';
import type { CatalogueEntry } from '../attack-case.ts';
import { makeDeviceKey } from '../device-key.ts';
import { check, expectDone, expectInvalidPermit, expectRefused } from '../range/expect.ts';
import type { HttpClient } from '../range/http-client.ts';
import type { Stage } from '../range/stage.ts';

/** The public key that signed a token: all that somebody outside has. */
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
    async run({ main, client }) {
      const { id, shown } = await main.newPermit();
      const gateKey = await gateKeyOf(client, shown.token);
      const kit = { token: shown.token, gateKey, now: Math.floor(Date.now() / 1000) };
      const forgeries = FORGED_PERMITS.filter(
        (forgery) => forgery.expected !== null && isForgeableBy(forgery, gateKey),
      );
      await main.unchanged('forged permits', { intents: [id], whole: false }, async () => {
        for (const forgery of forgeries)
          await expectNoPermit(main, forgePermit(forgery, kit), shown, forgery.expected ?? '', forgery.name);
      });
      const genuine = await main.surfaces[1].verify(main.verifierKey, shown);
      check(
        genuine.body.authorizes === true,
        'the genuine permit does not hold, so that forging it shows nothing',
        genuine,
      );
      return `${forgeries.length} forgeries, both surfaces, to check and to use`;
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
    async run({ main }) {
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
          id,
          'null',
          '{}',
          '..',
          'a.b.c',
          '',
          'x'.repeat(100_000),
          `${shown.token}${'A'.repeat(100_000)}`,
        ])
          await expectNoPermit(main, token, shown, 'malformed', `${token.slice(0, 12)}…`);
      });
      return undefined;
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
    needs: ['agent', 'verifier', 'decider'],
    async run({ main }) {
      const { id, shown } = await main.newPermit();
      const receipt = (await main.surfaces[0].read(main.agentKey, id)).body.receipt_v2 as Record<
        string,
        unknown
      >;
      const verify = (body: object) =>
        main.call('POST', '/api/intents/permit/verify', { key: main.verifierKey, body });
      const bound = { action: shown.action, context: shown.params };
      const genuine = expectDone(await verify({ receipt, ...bound }), 'showing a genuine receipt');
      check(
        genuine.body.authorizes === false && genuine.body.consumed === false,
        'a receipt authorises',
        genuine,
      );
      expectRefused(
        'A',
        await verify({ receipt, ...bound, consume: true }),
        400,
        'INVALID_FIELDS',
        'using a receipt',
      );
      for (const [what, changed] of [
        ['another action', { ...receipt, action: 'another.action' }],
        ['another approver', { ...receipt, approved_by: 'somebody@example.org' }],
        ['a member more', { ...receipt, extra: 1 }],
        ['a permit for its signature', { ...receipt, jws: shown.token }],
        ['no signature', { ...receipt, jws: undefined }],
        ['nothing', {}],
      ] as const)
        expectInvalidPermit(
          'A',
          await verify({ receipt: changed, ...bound }),
          ['tampered', 'malformed', 'not_a_permit'],
          `a receipt with ${what}`,
        );
      return undefined;
    },
  },
];
