/** Threats 8 and 8b: a permit is used once, however many try, with whichever token; a lost answer is given again. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AttackCase } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused, permitOf } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import type { Stage } from '../range/stage.ts';
import type { Surface } from '../range/surfaces.ts';

async function expectOneUse(
  main: Stage,
  id: string,
  answers: readonly { surface: Surface; answer: Answer }[],
): Promise<void> {
  const used = answers.filter(({ answer }) => answer.status === 200);
  check(
    used.length === 1,
    `${used.length} of ${answers.length} uses succeeded`,
    used[1]?.answer ?? answers[0]?.answer,
  );
  check(used[0]?.answer.body.consumed === true, 'the one that succeeded used nothing', used[0]?.answer);
  for (const { surface, answer } of answers)
    if (answer.status !== 200) expectInvalidPermit(surface.name, answer, 'already_used', 'a second use');
  const uses = (await main.story(id)).filter((type) => type === 'permit.consumed').length;
  check(uses === 1, `the log tells of ${uses} uses`);
}

export const USED_ONCE: readonly AttackCase[] = [
  {
    id: 'T08-hundred-at-once',
    title: 'a hundred uses at once',
    threats: ['8'],
    aisvs: ['9.2.8'],
    attack:
      'One permit is used a hundred times at the same instant, over a hundred connections, through both surfaces and several keys.',
    expected: 'Exactly one success; already_used for the rest; one permit.consumed in the log.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(100);
      const keys = [main.verifierKey, main.agentKey];
      for (let round = 0; round < 3; round += 1) {
        const { id, shown } = await main.newPermit();
        const answers = await Promise.all(
          Array.from({ length: 100 }, async (_, i) => {
            const surface = main.surfaces[(i % 2) as 0 | 1];
            return {
              surface,
              answer: await surface.verify(keys[(i >> 1) % 2] ?? '', { ...shown, consume: true }),
            };
          }),
        );
        await expectOneUse(main, id, answers);
      }
      return '3 rounds of 100';
    },
  },
  {
    id: 'T08-two-permits',
    title: 'two permits of one approval',
    threats: ['8'],
    aisvs: ['9.2.8'],
    attack: 'A fresh permit is asked for, and both are used at once, with a third asked for meanwhile.',
    expected: 'One use for the approval, whichever permit; then no fresh one any more.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(9);
      for (let round = 0; round < 5; round += 1) {
        const { id, shown } = await main.newPermit();
        const redeem = () => main.call('POST', `/v1/intents/${id}/permit`, { key: main.agentKey, body: {} });
        const second = permitOf(expectDone(await redeem(), 'asking for a fresh permit'));
        const late = redeem();
        const answers = await Promise.all(
          [shown.token, second, shown.token, second, second, shown.token, second, shown.token].map(
            async (token, i) => {
              const surface = main.surfaces[(i % 2) as 0 | 1];
              return {
                surface,
                answer: await surface.verify(main.verifierKey, { ...shown, token, consume: true }),
              };
            },
          ),
        );
        await expectOneUse(main, id, answers);
        const third = await late;
        if (third.status === 201) {
          const again = await main.surfaces[0].verify(main.verifierKey, {
            ...shown,
            token: permitOf(third),
            consume: true,
          });
          expectInvalidPermit('A', again, 'already_used', 'a third permit');
        }
        expectInvalidPermit(
          'B',
          await redeem(),
          'already_used',
          'asking for a fresh permit of what was used',
        );
      }
      return '5 rounds of 8';
    },
  },
  {
    id: 'T08-run-and-verified',
    title: 'a permit with which a tool is run and which is used elsewhere',
    threats: ['8'],
    aisvs: ['9.2.8'],
    attack: 'One permit for a tool is presented to the gateway and to verify at the same instant, by many.',
    expected: 'One use: the tool is run, or the permit is used elsewhere, and never both or twice.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(20);
      const tool = { action: 'files.delete', params: { path: '/of/an/attack' } };
      for (let round = 0; round < 3; round += 1) {
        const { id, shown } = await main.newPermit({ ...tool, more: { risk_tier: 'medium' } });
        const call = { tool: tool.action, arguments: tool.params, permit_token: shown.token };
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            i % 2 === 0
              ? main.call('POST', '/api/mcp-gateway', { key: main.agentKey, body: call })
              : main.surfaces[0].verify(main.agentKey, { ...shown, consume: true }),
          ),
        );
        const used = answers.filter(({ status }) => status === 200);
        check(used.length === 1, `${used.length} of ${answers.length} uses succeeded`, used[1] ?? answers[0]);
        for (const answer of answers)
          if (answer.status !== 200) expectInvalidPermit('A', answer, 'already_used', 'a second use');
        const done = await main.call('GET', `${main.root}/mock-connectors/files?limit=200`, {
          key: main.observer,
        });
        const records = expectDone(done, 'reading what the tool did').body.data as { intent_id: string }[];
        const runs = records.filter(({ intent_id }) => intent_id === id).length;
        const wasRun = used[0]?.body.status === 'executed';
        check(runs === (wasRun ? 1 : 0), `the tool was run ${runs} times`, used[0]);
      }
      return '3 rounds of 20';
    },
  },
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
          for (const left of [{ action }, { params }, {}]) {
            const used = await surface.verify(main.verifierKey, { token, ...left, consume: true });
            expectRefused(
              surface.name,
              used,
              400,
              'MISSING_FIELDS',
              `a use with ${Object.keys(left).join() || 'neither'}`,
            );
            const checked = expectDone(await surface.verify(main.verifierKey, { token, ...left }), 'a check');
            check(
              checked.body.bound === false && checked.body.authorizes === false,
              'a check that names not all authorises',
              checked,
            );
          }
          for (const consume of ['true', 1, null, 'yes']) {
            const used = await surface.verify(main.verifierKey, { ...shown, consume });
            expectRefused(surface.name, used, 400, 'INVALID_FIELDS', `consume ${JSON.stringify(consume)}`);
          }
        }
      });
      return undefined;
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
        check(first !== undefined, 'nobody was told that it was used', answers[0]);
        for (const answer of answers) {
          if (answer.status === 200)
            check(isDeepStrictEqual(answer.body, first.body), 'two answers to one use', answer);
          else expectRefused(surface.name, answer, 409, 'IDEMPOTENCY_CONFLICT', 'repeating while it runs');
        }
        const again = expectDone(await surface.verify(main.verifierKey, use, headers), 'repeating it');
        check(again.headers['idempotency-replayed'] === 'true', 'the repetition is not marked as one', again);
        const other = await surface.verify(main.verifierKey, { ...use, params: { amount: 6 } }, headers);
        expectRefused(surface.name, other, 422, 'IDEMPOTENCY_CONFLICT', 'another body under the same key');
        for (const [key, more] of [
          [main.verifierKey, {}],
          [main.verifierKey, { 'idempotency-key': randomUUID() }],
          [main.agentKey, headers],
        ] as const)
          expectInvalidPermit(
            surface.name,
            await surface.verify(key, use, more),
            'already_used',
            'somebody else’s repetition',
          );
        const uses = (await main.story(id)).filter((type) => type === 'permit.consumed').length;
        check(uses === 1, `the log tells of ${uses} uses`, first);
      }
      return undefined;
    },
  },
];
