/** The cast of the model on a real gate behind both surfaces, and every command as a request. */
import type { JsonObject } from '@permitry/protocol';
import { expireAllDue } from '../../src/gate/intents/expire.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { asShown } from '../fixtures/as-shown.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { type Credential, emailOf, FINANCE, isAgent, type Person } from './cast.ts';
import { ACTIONS, type Action, type Command, type Effect, type SurfaceName } from './commands.ts';
import { REASON, ruleName } from './gate-model.ts';

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** What a request about an intent needs. */
export interface KnownIntent {
  id: string;
  number: number;
  action: Action;
}

export interface World extends TestApp {
  keys: Record<Credential, string>;
  /** By credential: the `id` of its actor in the audit log. */
  actorIds: Record<Credential, string>;
  /** Number of audit records at the beginning of the play. */
  prologue: number;
  /** Sends the request of a command. `permit` is the token to verify or to revoke. */
  send(command: Command, intent: KnownIntent, permit: string): Promise<Answer>;
  read(surface: SurfaceName, intentId: string, who?: Credential): Promise<Answer>;
  /** Everything in the audit log since the play began, oldest first. */
  audit(): Promise<Record<string, unknown>[]>;
}

/** Parameters that distinguish the intents of one play. */
export function paramsOf({ number }: { number: number }): JsonObject {
  return { number, to: 'customer@example.org' };
}

export async function openWorld(mode: 'test' | 'live'): Promise<World> {
  const app = await openTestApp({ mode, logLevel: 'silent', config: { rateLimitPerMinute: 0 } });
  const { gate, projectId } = app;
  const people = {
    owner: app.owner,
    ann: await app.addPerson(emailOf('ann'), 'approver'),
    bob: await app.addPerson(emailOf('bob'), 'approver'),
    cat: await app.addPerson(emailOf('cat'), 'approver'),
    eve: await app.addPerson(emailOf('eve'), 'viewer'),
  };
  await saveGroup(gate, OPERATOR, { projectId, name: 'finance', members: FINANCE.map(emailOf) });
  // The second agent belongs to a person. The first agent is the operator's, so every owner is behind the first agent's
  // requests.
  const second = await app.addAgent({ name: 'second-agent', ownerId: people.cat.userId });
  const keys: Record<Credential, string> = {
    agent1: app.first.agent_key,
    agent2: second.key,
    secret: app.first.secret_key,
    verifier: app.first.verifier_key,
    owner: people.owner.token,
    ann: people.ann.token,
    bob: people.bob.token,
    cat: people.cat.token,
    eve: people.eve.token,
  };
  const actorIds: Record<Credential, string> = {
    agent1: app.agentId,
    agent2: second.agent.id,
    secret: app.secret.credentialId,
    verifier: app.verifier.credentialId,
    owner: people.owner.userId,
    ann: people.ann.userId,
    bob: people.bob.userId,
    cat: people.cat.userId,
    eve: people.eve.userId,
  };
  const effects = Object.fromEntries(ACTIONS.map((action) => [action, 'none'])) as Record<Action, Effect>;

  /** The owner manages in a browser session, the others with their own credentials. */
  function manage(who: Credential, method: string, url: string, body: object): Promise<Answer> {
    return who === 'owner'
      ? app.call(method, url, { present: people.owner, body })
      : call(who, method, url, body);
  }

  function call(who: Credential, method: string, url: string, body?: object): Promise<Answer> {
    return app.call(method, url, { key: keys[who], ...(body === undefined ? {} : { body }) });
  }

  /** In live mode people decide in a session. */
  const isPresent = (who: Credential): who is Person => mode === 'live' && who in people;
  const sessions = new Map<Person, SignedIn>();
  if (mode === 'live') {
    for (const [name, { userId }] of Object.entries(people)) {
      sessions.set(name as Person, await signedIn(gate, userId));
    }
  }

  async function vote(who: Credential, method: string, url: string, body: object): Promise<Answer> {
    const session = isPresent(who) ? sessions.get(who) : undefined;
    return session ? app.call(method, url, { headers: session.headers, body }) : call(who, method, url, body);
  }

  async function audit(): Promise<Record<string, unknown>[]> {
    const records: Record<string, unknown>[] = [];
    let cursor = '';
    for (;;) {
      const url = `/v1/projects/${projectId}/audit?order=asc&limit=200${cursor && `&cursor=${cursor}`}`;
      const { status, body } = await call('secret', 'GET', url);
      if (status !== 200) throw new Error(`the audit answered ${status}`);
      records.push(...(body.data as Record<string, unknown>[]));
      if (body.next_cursor === null) return records.slice(prologue);
      cursor = String(body.next_cursor);
    }
  }

  const policyUrl = `/v1/projects/${projectId}/policies`;
  await manage('owner', 'PUT', policyUrl, policyOf(effects));
  let prologue = 0;
  prologue = (await audit()).length;

  async function send(command: Command, intent: KnownIntent, permit: string): Promise<Answer> {
    switch (command.kind) {
      case 'create':
        return call(command.who, 'POST', command.surface === 'a' ? '/api/intents' : '/v1/intents', {
          action: command.action,
          [command.surface === 'a' ? 'context' : 'params']: paramsOf(intent),
          ...(command.surface === 'a' ? { source_type: 'ai_agent' } : {}),
          ...(command.source === null || isAgent(command.who) ? {} : { source: 'first-agent' }),
          ...(command.approvers === null
            ? {}
            : { approvers: command.approvers, min_approvals: command.minApprovals }),
          ...(command.expiresIn === null ? {} : { expires_in: command.expiresIn }),
        });
      case 'decide': {
        const { decision, reason } = command;
        const shown = decision === 'approve' && isPresent(command.who) ? await asShown(gate, intent.id) : {};
        if (command.surface === 'a') {
          const body = { decision, ...shown, ...(reason === null ? {} : { reason }) };
          return vote(command.who, 'PATCH', `/api/intents/${intent.id}`, body);
        }
        const why = decision === 'approve' ? { comment: reason } : { reason };
        const body = { ...shown, ...(reason === null ? {} : why) };
        return vote(command.who, 'POST', `/v1/intents/${intent.id}/${decision}`, body);
      }
      case 'withdraw':
        return call(command.who, 'POST', `/v1/intents/${intent.id}/withdraw`, {});
      case 'redeem':
        return call(command.who, 'POST', `/v1/intents/${intent.id}/permit`, {});
      case 'verify': {
        const { twist, consume } = command;
        const action = twist === 'action' ? `${intent.action}.other` : intent.action;
        const params = twist === 'params' ? { ...paramsOf(intent), number: -1 } : paramsOf(intent);
        const bound = { action, ...(twist === 'unbound' ? {} : { params }) };
        const { params: context, ...rest } = { ...bound, params: undefined, ...bound };
        return command.surface === 'a'
          ? call(command.who, 'POST', '/api/intents/permit/verify', {
              permit_token: permit,
              ...rest,
              ...(context === undefined ? {} : { context }),
              consume,
            })
          : call(command.who, 'POST', '/v1/permits/validate', { token: permit, ...bound, consume });
      }
      case 'outcome':
        return call(command.who, 'POST', `/v1/intents/${intent.id}/outcome`, { outcome: command.outcome });
      case 'revoke':
        return call(
          command.who,
          'POST',
          '/v1/permits/revoke',
          command.by === 'token' && permit ? { token: permit } : { intent_id: intent.id },
        );
      case 'read':
        return read(command.surface, intent.id, command.who);
      case 'list': {
        const filter = command.status === null ? '' : `&status=${command.status}`;
        return call(command.who, 'GET', `/api/intents?limit=200${filter}`);
      }
      case 'advance':
        app.clock.advance(command.seconds);
        return { status: 200, body: {} };
      case 'sweep':
        await expireAllDue(gate);
        return { status: 200, body: {} };
      case 'agent': {
        const agentId = actorIds[command.agent];
        return manage(command.who, 'POST', `/v1/projects/${projectId}/agents/${agentId}/${command.verb}`, {});
      }
      case 'switch':
        return manage(command.who, 'POST', `/v1/projects/${projectId}/${command.verb}`, {});
      case 'policy': {
        const wanted = { ...effects, [command.action]: command.effect };
        const answer = await manage(command.who, 'PUT', policyUrl, policyOf(wanted));
        if (answer.status === 200) Object.assign(effects, wanted);
        return answer;
      }
    }
  }

  function read(surface: SurfaceName, intentId: string, who: Credential = 'secret'): Promise<Answer> {
    return call(who, 'GET', `/${surface === 'a' ? 'api' : 'v1'}/intents/${intentId}`);
  }

  return { ...app, keys, actorIds, prologue, send, read, audit };
}

function policyOf(effects: Record<Action, Effect>): JsonObject {
  const rules = ACTIONS.filter((action) => effects[action] !== 'none').map((action) => {
    const rule = { name: ruleName(action), match: { action } };
    const effect = effects[action];
    if (effect === 'allow') return { ...rule, effect };
    if (effect === 'deny') return { ...rule, effect, reason: REASON };
    if (effect === 'programs') {
      const require = [{ from: ['role:approver'], count: 2, programs: true }];
      return { ...rule, effect: 'require_approval', require };
    }
    const count = effect === 'finance' ? 1 : 2;
    return { ...rule, effect: 'require_approval', require: [{ from: ['finance'], count }] };
  });
  return { name: 'played', default: { approvers: ['role:approver'], min_approvals: 1 }, rules };
}
