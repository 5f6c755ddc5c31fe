/**
 * Threat 2: the gate takes the approver from the credential. A name in body, header, query or cookie is refused or
 * ignored.
 */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';
import { NAMING_PROPERTIES } from '../tables/naming-properties.ts';

const SOMEBODY = 'somebody.else@example.org';

export const NAMED_APPROVERS: readonly CatalogueEntry[] = [
  {
    id: 'T02-named-in-body',
    title: 'a decision that names its approver',
    threats: ['2'],
    aisvs: ['9.2.1', '9.5.3'],
    attack:
      'Whoever decides puts another person’s name into the body of the decision, under nine member names.',
    expected: '400, the member is not known; nobody has voted.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      for (const surface of main.surfaces) {
        const id = await main.newIntent();
        await main.unchanged('decisions that name an approver', { intents: [id], whole: false }, async () => {
          for (const property of NAMING_PROPERTIES) {
            for (const decide of [surface.approve, surface.deny]) {
              const answer = await decide(main.decider, id, { [property]: SOMEBODY });
              const fields = [{ path: `/${property}` }];
              expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', `a member ${property}`, { fields });
              check(answer.text.includes('not a known member'), 'the refusal says otherwise', answer);
            }
          }
        });
      }
    },
  },
  {
    id: 'T02-named-in-headers',
    title: 'headers, query and cookies that name an approver',
    threats: ['2', '14'],
    aisvs: ['9.2.1', '9.5.3'],
    attack: 'A decision is sent with headers, a query and cookies that name another person, as proxies do.',
    expected:
      'The query is refused with 400. The rest is idle: the approval stands under the name of whoever holds the credential.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      const headers = {
        'x-forwarded-user': SOMEBODY,
        'x-forwarded-email': SOMEBODY,
        'x-remote-user': SOMEBODY,
        'x-user-id': SOMEBODY,
        'x-approved-by': SOMEBODY,
        'x-permitry-actor': SOMEBODY,
        from: SOMEBODY,
        cookie: `user=${SOMEBODY}; email=${SOMEBODY}; session=${main.observer}`,
      };
      const key = main.decider;
      const plain = await main.newPermit();
      const usual = (await main.surfaces[1].read(main.observer, plain.id)).body.resolved_by;
      const query = `?approved_by=${SOMEBODY}&user=${SOMEBODY}`;
      for (const path of ['/api/intents/ID', '/v1/intents/ID/approve']) {
        const id = await main.newIntent();
        const onA = path.startsWith('/api');
        const approve = (more: string) =>
          main.call(onA ? 'PATCH' : 'POST', path.replace('ID', id) + more, {
            key,
            headers,
            body: onA ? { decision: 'approve' } : {},
          });
        await main.unchanged('a query that names an approver', { intents: [id], whole: false }, async () => {
          const answer = await approve(query);
          const fields = [{ path: '/approved_by' }, { path: '/user' }];
          expectRefused(onA ? 'A' : 'B', answer, 400, 'INVALID_FIELDS', 'a query that names', { fields });
        });
        expectDone(await approve(''), 'approving with a credential that may');
        const read = await main.surfaces[1].read(main.observer, id);
        check(!read.text.includes(SOMEBODY), 'the approval contains the name that was sent', read);
        const votes = read.body.approvals as { by: string }[];
        check(
          read.body.resolved_by === usual && votes.length === 1 && votes[0]?.by === usual,
          'the approval stands under another name than that of its credential',
          read,
        );
      }
    },
  },
  {
    id: 'T02-born-decided',
    title: 'an intent that is born decided, or for somebody else',
    threats: ['2', '2c'],
    aisvs: ['9.2.1', '9.5.3'],
    attack:
      'A new intent brings its own status, approvals, requester, project, id, policy hash or quorum of none.',
    expected: '400, the member is not known; no intent is made.',
    needs: ['agent', 'observer'],
    async run({ main }) {
      await main.unchanged('intents that are born decided', {}, async () => {
        for (const surface of main.surfaces) {
          for (const [property, value] of [
            ['status', 'approved'],
            ['decision', 'auto_approve'],
            ['approved_by', SOMEBODY],
            ['approvals', [{ by: SOMEBODY }]],
            ['requester', 'agt_01hzzzzzzzzzzzzzzzzzzzzzzz'],
            ['agent_id', 'agt_01hzzzzzzzzzzzzzzzzzzzzzzz'],
            ['project_id', 'prj_01hzzzzzzzzzzzzzzzzzzzzzzz'],
            ['id', 'int_01hzzzzzzzzzzzzzzzzzzzzzzz'],
            ['policy_hash', `sha256:${'0'.repeat(64)}`],
            ['permit_ttl', 3600],
            ['approvals_required', 0],
            ['min_approvals', 0],
            ['approvers', []],
          ] as const) {
            const answer = await surface.create(
              main.agentKey,
              main.action('born'),
              {},
              { [property]: value },
            );
            const fields = [{ path: `/${property}` }];
            expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', `a member ${property}`, { fields });
          }
        }
      });
    },
  },
  {
    id: 'T02-nobody',
    title: 'approvers that are nobody',
    threats: ['2', '10'],
    aisvs: ['9.2.1'],
    attack: 'A requester names strangers, agents, wildcards or roles that may not decide as its approvers.',
    expected: '422, with the names; no intent that nobody, or the wrong body, could approve.',
    needs: ['agent', 'observer'],
    async run({ main }) {
      const agent = main.canManage ? await main.newAgent() : undefined;
      const [approver] = main.approvers;
      const nobodies = [SOMEBODY, 'role:viewer', 'role:agent', 'role:anybody', '*', main.projectId];
      const lists = [
        ...[...nobodies, ...(agent ? [agent.id, agent.name] : [])].map((name) => [name]),
        ...(approver ? [[approver.email, SOMEBODY]] : []),
      ];
      await main.unchanged('approvers that are nobody', {}, async () => {
        for (const surface of main.surfaces) {
          for (const approvers of lists) {
            const answer = await surface.create(main.agentKey, main.action('nobody'), {}, { approvers });
            const what = `approvers [${approvers}]`;
            expectRefused(surface.name, answer, 422, 'APPROVER_NOT_FOUND', what, { approvers });
          }
        }
      });
    },
  },
];
