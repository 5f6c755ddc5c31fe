/**
 * `node die-while-running.ts DATA`: makes a gate and calls a tool that does its work but never answers. Then the
 * program reports the call and waits to be killed.
 */

import { authenticateKey } from '../../src/gate/access/authenticate-key.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { callTool } from '../../src/gate/tools/call-tool.ts';
import type { Connectors } from '../../src/gate/tools/connectors.ts';
import { mockConnectors } from '../../src/gateway/mock/mock-connectors.ts';
import { openGate } from '../../src/open-gate.ts';
import { initialiseGate } from '../../src/people/initialise-gate.ts';

const OPERATOR = { kind: 'operator', credentialId: 'operator', display: 'operator' } as const;

const { list, find } = mockConnectors;
const worksAndHangs: Connectors = {
  list,
  find,
  async run({ intentId: id, projectId, tool: { connector, name: tool }, arguments: given }) {
    const record = { id, projectId, connector, tool, arguments: given, at: gate.clock.now() };
    await gate.storage.transaction((tx) => tx.insertMockRecord(record));
    return new Promise(() => {});
  },
};

const { gate } = await openGate({
  database: { directory: process.argv[2] ?? '' },
  issuer: 'http://gate.test',
  connectors: worksAndHangs,
});
const first = await initialiseGate(gate, {
  mode: 'test',
  projectName: 'First',
  ownerEmail: 'owner@example.org',
});
const rules = [{ name: 'mails are free', match: { action: 'mail.send' }, effect: 'allow' }];
const document = { name: 'gateway', default: { approvers: ['role:approver'] }, rules };
await putPolicy(gate, OPERATOR, { projectId: first.project_id, document });
const { caller } = await authenticateKey(gate, first.agent_key);
const { kind, request } = await callTool(gate, caller, {
  tool: 'mail.send',
  arguments: { to: 'ann@example.org', subject: 'Hello', text: 'How are you?' },
  idempotencyKey: 'k1',
  totalWaitMs: 200,
});
console.log(JSON.stringify({ first, kind, request }));
setInterval(() => {}, 1000);
