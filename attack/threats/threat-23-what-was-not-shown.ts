/** Threat 23: a person's approval that does not name what they were shown. */
import { hashJson } from '@permitry/protocol';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';

export const WHAT_WAS_NOT_SHOWN: readonly CatalogueEntry[] = [
  {
    id: 'T23-no-hash',
    title: 'an approval of something that nobody was shown',
    threats: ['23'],
    aisvs: ['9.2.2'],
    attack:
      'With an approver’s session, requests are approved one by one and in a batch without the hash of what was shown, with the hash of another request, and in a batch although a list does not show them whole.',
    expected: '400 without a hash, 409 with another one, and nothing changes; with the right one it counts.',
    needs: ['agent', 'observer', 'somebody who signs in'],
    async run({ main }) {
      const [id, other] = [await main.newIntent(), await main.newIntent()];
      const headers = await main.signIn();
      const onA = (hash: object) =>
        main.call('PATCH', `/api/intents/${id}`, { headers, body: { decision: 'approve', ...hash } });
      const onB = (hash: object) =>
        main.call('POST', `/v1/intents/${id}/approve`, { headers, body: { ...hash } });
      const batch = (...decisions: readonly object[]) =>
        main.call('POST', '/console/decisions', { headers, body: { decisions } });
      const hashOf = async (intentId: string) =>
        String(
          expectDone(
            await main.call('GET', `/console/intents/${intentId}`, { headers }),
            'looking at a request',
          ).body.intent_hash,
        );
      const approval = { intent_id: id, decision: 'approve' };
      const right = await hashOf(id);

      await main.unchanged('approvals without a hash', { intents: [id, other], whole: false }, async () => {
        const missing = ['A', await onA({})] as const;
        for (const [surface, answer] of [missing, ['B', await onB({})]] as const)
          expectRefused(surface, answer, 400, 'MISSING_FIELDS', 'an approval without a hash');
        const many = await batch(
          { ...approval, intent_id: other, intent_hash: await hashOf(other) },
          approval,
        );
        expectRefused('B', many, 400, 'MISSING_FIELDS', 'a batch in which one has no hash');
      });
      await main.unchanged(
        'approvals of something else',
        { intents: [id, other], whole: false },
        async () => {
          for (const intent_hash of [await hashOf(other), hashJson({})]) {
            expectRefused('A', await onA({ intent_hash }), 409, 'CONFLICT', 'the hash of something else');
            expectRefused('B', await onB({ intent_hash }), 409, 'CONFLICT', 'the hash of something else');
            const many = expectDone(await batch({ ...approval, intent_hash }), 'a batch');
            const [one] = many.body.data as { error?: object }[];
            check(one?.error !== undefined, 'a batch approved the hash of something else', many);
          }
        },
      );
      const cut = await main.newIntent(main.action('refund'), { note: `${'x'.repeat(300)}\u202e` });
      await main.unchanged('a list that cuts', { intents: [cut], whole: false }, async () => {
        const shown = { intent_id: cut, decision: 'approve', intent_hash: await hashOf(cut) };
        const many = expectDone(await batch(shown), 'a batch');
        const [one] = many.body.data as { error?: object }[];
        check(one?.error !== undefined, 'a batch approved what a list does not show whole', many);
      });
      expectDone(await onB({ intent_hash: right }), 'an approval of what was shown');
      return undefined;
    },
  },
];
