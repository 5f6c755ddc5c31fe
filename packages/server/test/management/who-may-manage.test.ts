import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/gate/access/caller.ts';
import { pauseAgent, resumeAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { getAgent, listAgents } from '../../src/gate/agents/read-agents.ts';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { updateAgent } from '../../src/gate/agents/update-agent.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { startProject, stopProject } from '../../src/gate/projects/stop-switch.ts';
import { listGroups } from '../../src/people/groups/list-groups.ts';
import { removeGroup } from '../../src/people/groups/remove-group.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { listKeys } from '../../src/people/keys/list-keys.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { listMembers } from '../../src/people/members/list-members.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
let callers: Record<string, Caller>;
let strangers: Record<string, Caller>;

/** Every operation that changes a project, by the scope that it requires. */
const CHANGES = {
  'agents:write': {
    registerAgent: (caller, projectId) => registerAgent(t.gate, caller, { projectId, name: 'new' }),
    updateAgent: (caller, projectId) =>
      updateAgent(t.gate, caller, { projectId, agentId: t.agentId, riskTier: 'critical' }),
    resumeAgent: (caller, projectId) => resumeAgent(t.gate, caller, { projectId, agentId: t.agentId }),
  },
  'agents:stop': {
    pauseAgent: (caller, projectId) => pauseAgent(t.gate, caller, { projectId, agentId: t.agentId }),
    revokeAgent: (caller, projectId) => revokeAgent(t.gate, caller, { projectId, agentId: t.agentId }),
  },
  'project:stop': {
    stopProject: (caller, projectId) => stopProject(t.gate, caller, { projectId }),
  },
  'project:start': {
    startProject: (caller, projectId) => startProject(t.gate, caller, { projectId }),
  },
  'keys:write': {
    createKey: (caller, projectId) => createKey(t.gate, caller, { projectId, kind: 'verify', name: 'new' }),
    revokeKey: (caller, projectId) => revokeKey(t.gate, caller, { projectId, keyId: t.secret.credentialId }),
  },
  'members:write': {
    addMember: (caller, projectId) =>
      addMember(t.gate, caller, { projectId, email: 'new@example.org', role: 'viewer' }),
    changeRole: (caller, projectId) =>
      changeRole(t.gate, caller, { projectId, userId: t.owner.userId, role: 'viewer' }),
    removeMember: (caller, projectId) => removeMember(t.gate, caller, { projectId, userId: t.owner.userId }),
    saveGroup: (caller, projectId) => saveGroup(t.gate, caller, { projectId, name: 'new', members: [] }),
    removeGroup: (caller, projectId) => removeGroup(t.gate, caller, { projectId, name: 'finance' }),
  },
} satisfies Record<string, Record<string, (caller: Caller, projectId: string) => Promise<unknown>>>;

const READS = {
  getAgent: (caller, projectId) => getAgent(t.gate, caller, { projectId, agentId: t.agentId }),
  listAgents: (caller, projectId) => listAgents(t.gate, caller, { projectId }),
  listKeys: (caller, projectId) => listKeys(t.gate, caller, { projectId }),
  listMembers: (caller, projectId) => listMembers(t.gate, caller, { projectId }),
  listGroups: (caller, projectId) => listGroups(t.gate, caller, { projectId }),
} satisfies Record<string, (caller: Caller, projectId: string) => Promise<unknown>>;

const cases = Object.entries(CHANGES).flatMap(([scope, operations]) =>
  Object.entries(operations).map(([name, operation]) => ({ scope, name, operation })),
);

async function everything() {
  const { read } = t.gate.storage;
  return JSON.stringify([
    await t.project(),
    await read.listAgents(t.projectId, { limit: 100 }),
    await read.listKeys(t.projectId, { limit: 100 }),
    await read.listMembers(t.projectId),
    await read.listGroups(t.projectId),
    await t.events(t.projectId),
  ]);
}

beforeAll(async () => {
  t = await openTestGate();
  await saveGroup(t.gate, t.secret, { projectId: t.projectId, name: 'finance', members: [] });
  const approver = await t.addPerson('approver@example.org', 'approver');
  const viewer = await t.addPerson('viewer@example.org', 'viewer');
  const decider = await t.addPerson('decider@example.org', 'owner', ['decide']);
  const reader = await t.addPerson('reader@example.org', 'owner', []);
  callers = {
    'an agent': t.agent,
    'a verifier': t.verifier,
    'an approver': approver.caller,
    'a viewer': viewer.caller,
    "an approver's service": (await t.addService('approver@example.org')).caller,
    "a viewer's service": (await t.addService('viewer@example.org')).caller,
    "an owner's token that only decides": decider.caller,
    "an owner's token that only reads": reader.caller,
  };
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'test',
    ownerEmail: 'bob@example.org',
  });
  const key = await createKey(t.gate, OPERATOR, {
    projectId: project.id,
    kind: 'secret',
    name: "bob's",
    ownerEmail: 'bob@example.org',
  });
  strangers = { 'the owner of another project': await t.callerOf(key.key) };
});
afterAll(() => t.close());

describe.each(cases)('$name', ({ scope, operation }) => {
  test('is refused to everyone without the scope, and changes nothing', async () => {
    const before = await everything();
    for (const [who, caller] of Object.entries(callers))
      expect(await refusalOf(operation(caller, t.projectId)), who).toMatchObject({
        code: 'forbidden',
        details: { required: scope },
      });
    expect(await everything()).toBe(before);
  });

  test('answers alike for another’s project and an unknown one', async () => {
    const before = await everything();
    for (const [who, caller] of Object.entries(strangers))
      expect(await refusalOf(operation(caller, t.projectId)), who).toMatchObject({
        code: 'project_not_found',
      });
    expect(await refusalOf(operation(OPERATOR, 'prj_unknown'))).toMatchObject({ code: 'project_not_found' });
    expect(await everything()).toBe(before);
  });
});

test.each(Object.entries(READS))(
  '%s answers alike for another’s project and an unknown one',
  async (_, operation) => {
    for (const caller of Object.values(strangers))
      expect(await refusalOf(operation(caller, t.projectId))).toMatchObject({ code: 'project_not_found' });
    expect(await refusalOf(operation(OPERATOR, 'prj_unknown'))).toMatchObject({ code: 'project_not_found' });
  },
);

test.each(Object.entries(READS))('%s shows nothing to agents and verifiers', async (_, operation) => {
  for (const caller of [t.agent, t.verifier])
    expect(await refusalOf(operation(caller, t.projectId))).toMatchObject({ code: 'forbidden' });
});

test('keys are shown only to admins and owners', async () => {
  for (const who of ['an approver', 'a viewer', "an approver's service"]) {
    const caller = callers[who];
    if (!caller) throw new Error(who);
    expect(await refusalOf(READS.listKeys(caller, t.projectId))).toMatchObject({
      code: 'forbidden',
      details: { required: 'keys:read' },
    });
  }
});
