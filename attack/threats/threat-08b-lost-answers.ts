/** Threat 8b: a use names its action and parameters. The gate repeats a lost answer only to its original sender. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused } from '../range/expect.ts';
import { paramsName } from '../range/surfaces.ts';

export const LOST_ANSWERS: readonly CatalogueEntry[] = [
  {
    id: 'T08b-unbound-use',
    title: 'a use that does not say of what',
    threats: ['8b', '6'],
    aisvs: ['9.2.8'],
    attack:
      'A permit is used without action, without parameters, without both, or with a consume that is no boolean; and checked without them.',
    expected: '400 for a use; a check without them binds and authorises nothing; the permit stays unused.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const { id, shown } = await main.newPermit();
      const { token, action, params } = shown;
      await main.unchanged('unbound uses', { intents: [id], whole: false }, async () => {
        for (const surface of main.surfaces) {
          const ofParams = { path: `/${paramsName(surface.name)}` };
          for (const [left, ...fields] of [
            [{ action }, ofParams],
            [{ params }, { path: '/action' }],
            [{}, { path: '/action' }, ofParams],
          ] as const) {
            const used = await surface.verify(main.verifierKey, { token, ...left, consume: true });
            const what = `a use with ${Object.keys(left).join() || 'neither'}`;
            expectRefused(surface.name, used, 400, 'MISSING_FIELDS', what, { fields });
            const checked = expectDone(await surface.verify(main.verifierKey, { token, ...left }), 'a check');
            check(
              checked.body.valid && !checked.body.bound && !checked.body.authorizes && !checked.body.consumed,
              'a check that names not all authorises',
              checked,
            );
          }
          for (const consume of ['true', 1, null, 'yes']) {
            const used = await surface.verify(main.verifierKey, { ...shown, consume });
            const fields = [{ path: '/consume' }];
            expectRefused(surface.name, used, 400, 'INVALID_FIELDS', `consume ${consume}`, { fields });
          }
        }
      });
      const used = await main.surfaces[0].verify(main.verifierKey, { ...shown, consume: true });
      check(used.body.consumed === true, 'it cannot be used at all', used);
    },
  },
  {
    id: 'T08b-lost-answer',
    title: 'an answer that was lost, and asked for by others',
    threats: ['8b', '8'],
    aisvs: ['9.2.8'],
    attack:
      'A use is repeated under its Idempotency-Key: by its sender, with another body, by other keys, under another key, fifty at once.',
    expected: 'Its sender gets the same answer; another body is 422; everybody else already_used. One use.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(50);
      for (const surface of main.surfaces) {
        const { id, shown } = await main.newPermit();
        const headers = { 'idempotency-key': randomUUID() };
        const use = { ...shown, consume: true };
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => surface.verify(main.verifierKey, use, headers)),
        );
        const [first] = answers.filter(({ status }) => status === 200);
        check(first?.body.consumed === true, 'nobody was told that it was used', answers[0]);
        for (const answer of answers) {
          if (answer.status === 200)
            check(isDeepStrictEqual(answer.body, first.body), 'two answers to one use', answer);
          else expectRefused(surface.name, answer, 409, 'IDEMPOTENCY_CONFLICT', 'repeating while it runs');
        }
        await main.unchanged('repeating a use', { intents: [id], whole: false }, async () => {
          const again = expectDone(await surface.verify(main.verifierKey, use, headers), 'repeating it');
          check(isDeepStrictEqual(again.body, first.body), 'its sender is told otherwise', again);
          check(
            again.headers['idempotency-replayed'] === 'true',
            'the repetition is not marked as one',
            again,
          );
          const other = await surface.verify(main.verifierKey, { ...use, params: { amount: 6 } }, headers);
          expectRefused(surface.name, other, 422, 'IDEMPOTENCY_CONFLICT', 'another body under the same key');
          for (const [key, more] of [
            [main.verifierKey, {}],
            [main.verifierKey, { 'idempotency-key': randomUUID() }],
            [main.agentKey, headers],
            ...(main.keys.secret_key ? [[main.secretKey, headers] as const] : []),
          ] as const)
            expectInvalidPermit(
              surface.name,
              await surface.verify(key, use, more),
              'already_used',
              'somebody else’s repetition',
            );
          const [elsewhere] = main.surfaces.filter(({ name }) => name !== surface.name);
          const there = await elsewhere?.verify(main.verifierKey, use, headers);
          if (elsewhere && there)
            expectInvalidPermit(elsewhere.name, there, 'already_used', 'at the other door');
        });
        const uses = (await main.story(id)).filter((type) => type === 'permit.consumed').length;
        check(uses === 1, `the log tells of ${uses} uses`, first);
      }
    },
  },
  {
    id: 'T08b-taken-back-since',
    title: 'a lost answer to a use that no longer holds',
    threats: ['8b', '9'],
    aisvs: ['9.2.8', '9.5.6'],
    attack:
      'A use is repeated under its Idempotency-Key once its agent is paused, its project stopped, its approval revoked.',
    expected: 'Refused with that reason, and given again once the agent is resumed and the project started.',
    needs: ['verifier', 'decider', 'manager', 'observer', 'project-wide'],
    async run({ main }) {
      main.takeBack(() => main.manage('POST', '/start', {}));
      for (const surface of main.surfaces) {
        const agent = await main.newAgent();
        const { id, shown } = await main.newPermit({ key: agent.key });
        const headers = { 'idempotency-key': randomUUID() };
        const use = { ...shown, consume: true };
        const repeat = () =>
          main.unchanged('repeating a use', { whole: false }, () =>
            surface.verify(main.verifierKey, use, headers),
          );
        expectDone(await surface.verify(main.verifierKey, use, headers), 'using it');
        for (const [holding, letting, reason] of [
          [`/agents/${agent.id}/pause`, `/agents/${agent.id}/resume`, 'agent_paused'],
          ['/stop', '/start', 'project_stopped'],
        ] as const) {
          expectDone(await main.manage('POST', holding, {}), holding);
          const held = await repeat();
          expectDone(await main.manage('POST', letting, {}), letting);
          expectInvalidPermit(surface.name, held, reason, 'repeating a use');
          expectDone(await repeat(), 'repeating it again');
        }
        const body = { intent_id: id };
        expectDone(await main.call('POST', '/v1/permits/revoke', { key: main.stopper, body }), 'revoking');
        expectInvalidPermit(surface.name, await repeat(), 'revoked', 'repeating a use');
      }
    },
  },
  {
    id: 'T08b-older-copy',
    title: 'an older copy put back after a use',
    threats: ['8b'],
    aisvs: ['9.2.8'],
    attack:
      'The data directory is replaced by a copy from before a permit was used, and the permit is used again.',
    expected: 'Refused.',
    why: 'takes the data directory, not the network; see docs/security.md',
  },
];
