/**
 * Bursts of simultaneous requests, any of which may win. After each burst the test checks what must always hold. An
 * intent has one resolution and at most one use, and no permit without an approval. The audit log has the same counts.
 */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentName, isAgent, type RequesterName } from './cast.ts';
import { type Command, command, type MadeCommand, pickIntent, withSomebody } from './commands.ts';
import { runParameters } from './run-parameters.ts';
import { type Answer, type KnownIntent, openWorld, type World } from './world.ts';

interface Given {
  command: Command;
  intentId: string;
  answer: Answer;
}

interface PlayedIntent extends KnownIntent {
  tokens: string[];
  requester: RequesterName;
  /** The agent as which the intent runs. */
  agent: AgentName | null;
  /** As last seen. */
  status: string;
  consumedBy: null;
}

type AuditRecord = Record<string, unknown>;

class Bursts {
  readonly #world: World;
  readonly #intents: PlayedIntent[] = [];
  /** Every answer so far, in no order. */
  readonly #given: Given[] = [];
  /** An intent's state after it left pending, which never changes again. */
  readonly #resolved = new Map<string, unknown>();

  constructor(world: World) {
    this.#world = world;
  }

  async burst(commands: readonly MadeCommand[]): Promise<void> {
    let number = this.#intents.length;
    await Promise.all(
      commands.map(async (made) => {
        const target = pickIntent(made, this.#intents);
        if ('pick' in made && !target) return;
        const command = withSomebody(made, target);
        const back = command.kind === 'verify' ? command.old : 0;
        const token = target?.tokens.at(-1 - (back % Math.max(1, target.tokens.length)));
        if (command.kind === 'verify' && token === undefined) return;
        const fresh = {
          id: '',
          number: number++,
          action: command.kind === 'create' ? command.action : 'mail.send',
        };
        // Time passes, and the sweeper runs, while the other requests are in progress.
        if (command.kind === 'advance' || command.kind === 'sweep') await setImmediate();
        const answer = await this.#world.send(command, target ?? (fresh as KnownIntent), token ?? '');
        expect(answer.status).toBeLessThan(500);
        const intentId = target?.id ?? createdId(command, answer);
        if (command.kind === 'create' && intentId !== '') {
          this.#intents.push({
            id: intentId,
            number: fresh.number,
            action: command.action,
            tokens: [],
            requester: command.who,
            agent: isAgent(command.who) ? command.who : command.source,
            status: String(answer.body.status ?? 'denied'),
            consumedBy: null,
          });
        }
        this.#given.push({ command, intentId, answer });
      }),
    );
    await this.#checkIntents();
  }

  async finish(): Promise<void> {
    await this.#checkIntents();
    const records = await this.#world.audit();
    for (const intent of this.#intents) this.#checkStory(intent.id, records);
    this.#checkHolds(records);
    const { projectId, first, prologue } = this.#world;
    const { body } = await this.#world.call('GET', `/v1/projects/${projectId}/audit/verify`, {
      key: first.secret_key,
    });
    expect(body).toMatchObject({ valid: true, unsealed: 0, count: prologue + records.length });
    expect(ofType(records, 'intent.created')).toHaveLength(this.#intents.length);
  }

  async #checkIntents(): Promise<void> {
    for (const intent of this.#intents) {
      const [a, b] = [await this.#world.read('a', intent.id), await this.#world.read('b', intent.id)];
      const { status, permit, approvals, resolved_by: by, resolved_at: at } = b.body;
      expect(a.body).toMatchObject({ status, resolved_by: by, resolved_at: at });
      intent.status = String(status);
      const approved = status === 'approved';
      expect('permit' in b.body).toBe(approved);
      expect('permit_token' in a.body && 'receipt_v2' in a.body).toBe(approved);
      if (approved) {
        const { token } = permit as { token: string };
        expect(a.body.permit_token).toBe(token);
        if (!intent.tokens.includes(token)) intent.tokens.push(token);
        const voters = (approvals as { by: string }[]).map((approval) => approval.by);
        expect(new Set(voters).size).toBe(voters.length);
        expect(b.body.approvals_received).toBe(b.body.approvals_required);
      }
      if (status === 'pending') continue;
      const resolution = { status, by, at, approvals, reason: b.body.reason };
      expect(this.#resolved.get(intent.id) ?? resolution).toEqual(resolution);
      this.#resolved.set(intent.id, resolution);
    }
  }

  /** Compares the intent's events with its state and with the answers. */
  #checkStory(intentId: string, records: readonly AuditRecord[]): void {
    const story = records.filter((record) => record.intent_id === intentId);
    const { status } = (this.#resolved.get(intentId) as { status: string } | undefined) ?? {
      status: 'pending',
    };
    const count = (type: string) => ofType(story, type).length;
    const answers = this.#given.filter((given) => given.intentId === intentId);
    const succeeded = (kind: Command['kind']) =>
      answers.filter(({ command, answer }) => command.kind === kind && answer.status < 300);

    expect(count('intent.created')).toBe(1);
    for (const end of ['approved', 'denied', 'expired']) {
      expect(count(`intent.${end}`), `${end} while ${status}`).toBe(status === end ? 1 : 0);
    }
    expect(count('permit.issued')).toBe(status === 'approved' ? 1 + succeeded('redeem').length : 0);
    const uses = succeeded('verify').filter(({ answer }) => answer.body.consumed === true);
    expect(uses.length).toBeLessThanOrEqual(1);
    expect(count('permit.consumed')).toBe(uses.length);
    expect(count('outcome.reported')).toBe(succeeded('outcome').length);
    expect(count('outcome.reported')).toBeLessThanOrEqual(uses.length);
    expect(count('permit.revoked')).toBe(succeeded('revoke').length > 0 ? 1 : 0);
    expect(count('approval.recorded')).toBe(succeeded('decide').length);
    const resolving = [...succeeded('decide'), ...succeeded('withdraw')].filter(
      ({ answer }) => answer.body.status !== 'pending',
    );
    expect(resolving.length).toBeLessThanOrEqual(1);
    this.#checkTimes(story);
  }

  /** Checks that the audit log has nothing created or used between a stop and a start, or while the agent is paused. */
  #checkHolds(records: readonly AuditRecord[]): void {
    const agents = new Map(this.#intents.map(({ id, agent }) => [id, agent && this.#world.actorIds[agent]]));
    const held = new Set<unknown>();
    let stopped = false;
    for (const { type, intent_id: id, data } of records) {
      const { agent_id: agentId } = data as { agent_id?: string };
      if (type === 'project.stopped' || type === 'project.started') stopped = type === 'project.stopped';
      if (type === 'agent.paused' || type === 'agent.revoked') held.add(agentId);
      if (type === 'agent.resumed') held.delete(agentId);
      if (type !== 'intent.created' && type !== 'permit.consumed') continue;
      expect(stopped, `${type} while the project is stopped`).toBe(false);
      expect(held.has(agents.get(String(id))), `${type} while the agent is held`).toBe(false);
    }
  }

  /**
   * Checks that no approval comes at or after the expiry, and nothing is used before its approval or after its
   * revocation.
   */
  #checkTimes(story: readonly AuditRecord[]): void {
    const [created] = ofType(story, 'intent.created');
    const { expires_at: expiresAt } = (created ?? { data: {} }).data as { expires_at: string };
    for (const { occurred_at: at } of ofType(story, 'intent.approved')) {
      expect(String(at) < expiresAt).toBe(true);
    }
    const order = [
      'intent.created',
      'intent.approved',
      'permit.issued',
      'permit.consumed',
      'outcome.reported',
    ];
    const firsts = order.map((type) => ofType(story, type)[0]?.seq).filter((seq) => seq !== undefined);
    expect(firsts).toEqual(firsts.toSorted((one, other) => Number(one) - Number(other)));
    const [used] = ofType(story, 'permit.consumed');
    const [revoked] = ofType(story, 'permit.revoked');
    if (used && revoked) expect(Number(used.seq)).toBeLessThan(Number(revoked.seq));
  }
}

/** Surface B names a denied intent in its refusal. */
function createdId(command: Command, { body }: Answer): string {
  if (command.kind !== 'create') return '';
  return String(body.id ?? (body.error as Record<string, unknown>).intent_id ?? '');
}

function ofType(records: readonly AuditRecord[], type: string): AuditRecord[] {
  return records.filter((record) => record.type === type);
}

/** Everybody decides the same intent, or everybody uses the same permit, while somebody revokes it. */
const decisions: fc.Arbitrary<MadeCommand> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      surface: fc.constantFrom('a' as const, 'b' as const),
      who: fc.constantFrom(
        'secret' as const,
        'owner' as const,
        'ann' as const,
        'bob' as const,
        'cat' as const,
      ),
      pick: fc.constant(0),
      decision: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'deny' as const),
      reason: fc.constant(null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('withdraw' as const),
      who: fc.constantFrom('agent1' as const, 'agent2' as const, 'secret' as const),
      pick: fc.constant(0),
    }),
  },
  { weight: 1, arbitrary: fc.constant<MadeCommand>({ kind: 'advance', seconds: 60 }) },
  { weight: 1, arbitrary: fc.constant<MadeCommand>({ kind: 'sweep' }) },
);
const uses: fc.Arbitrary<MadeCommand> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('verify' as const),
      surface: fc.constantFrom('a' as const, 'b' as const),
      who: fc.constantFrom('secret' as const, 'verifier' as const),
      pick: fc.constantFrom(0, 0, 0, 1),
      old: fc.nat(1),
      twist: fc.constant('none' as const),
      consume: fc.constant(true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('revoke' as const),
      who: fc.constant('secret' as const),
      pick: fc.constant(0),
      by: fc.constantFrom('intent' as const, 'token' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('redeem' as const),
      who: fc.constantFrom('agent1' as const, 'agent2' as const, 'secret' as const),
      pick: fc.constant(0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('switch' as const),
      verb: fc.constantFrom('stop' as const, 'start' as const),
      who: fc.constant('owner' as const),
    }),
  },
);
const EIGHT = { minLength: 8, maxLength: 8 };
const bursts = fc.array(
  fc.oneof(fc.array(command, EIGHT), fc.array(decisions, EIGHT), fc.array(uses, EIGHT)),
  { minLength: 1, maxLength: 12, size: 'max' },
);

test.each(['test', 'live'] as const)(
  'whichever request wins, an intent is resolved once and used at most once, in %s mode',
  { timeout: 600_000 },
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(bursts, async (given) => {
        const world = await openWorld(mode);
        try {
          const play = new Bursts(world);
          for (const commands of given) await play.burst(commands);
          await play.finish();
        } finally {
          await world.close();
        }
      }),
      runParameters(40),
    );
  },
);
