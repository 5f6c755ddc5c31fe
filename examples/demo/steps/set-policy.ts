import { call } from '../exchange.ts';
import { readText } from '../properties.ts';
import { REFUND, type Scene } from '../scene.ts';

const POLICY = {
  name: 'shop',
  default: { approvers: ['role:approver'] },
  rules: [
    {
      name: 'small refunds',
      match: { action: 'payments.refund' },
      when: 'params.amount <= 25.0',
      effect: 'allow',
    },
    { name: 'never drop', match: { action: 'database.drop*' }, effect: 'deny', reason: 'Not by an agent.' },
  ],
};

/** Two rules decide the obvious cases without people. Returns the unused permit of the small refund. */
export async function setPolicy({ narrator, agent, owner, gate }: Scene): Promise<string> {
  narrator.step('A policy decides the obvious cases');
  const put = await call(owner, 'PUT', `/v1/projects/${gate.credentials.project_id}/policies`, POLICY);
  narrator.tell(put, { status: 200, properties: { version: 2, warnings: [] }, show: ['created_by'] });
  narrator.why(
    'Conditions are parsed and type-checked when they are saved. Deny beats approval, approval beats allow, and an error only makes the outcome stricter.',
  );

  narrator.line();
  agent.give({
    kind: 'ask',
    action: REFUND.action,
    params: { ...REFUND.params, order: 'A-1044', amount: 12 },
  });
  const small = await agent.nextExchange();
  narrator.tell(small, {
    status: 201,
    properties: { status: 'approved', 'permit.approved_by': 'policy:small refunds' },
  });
  narrator.why('12 euros: approved at once, with a permit that names the rule.');

  narrator.line();
  agent.give({ kind: 'ask', action: 'database.drop_table', params: { table: 'customers' } });
  narrator.tell(await agent.nextExchange(), {
    status: 403,
    properties: {
      'error.code': 'policy_violation',
      'error.rule': 'never drop',
      'error.reason': 'Not by an agent.',
    },
  });
  narrator.why('Nobody was woken to say no, and the attempt is in the audit log.');
  return readText(small.answer, 'permit.token');
}
