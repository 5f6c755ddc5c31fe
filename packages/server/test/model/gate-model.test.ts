/**
 * Runs random sequences on a whole gate and on the model of the contract. Both must agree after every step, and at the
 * end the audit chain must contain exactly what happened. A failure prints its seed. Replay it with FC_SEED and
 * FC_PATH, and raise the number of sequences with FC_RUNS.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addSeconds } from '../../src/gate/kernel/instant.ts';
import type { Credential } from './cast.ts';
import {
  type Command,
  command,
  type MadeCommand,
  pickIntent,
  type SurfaceName,
  withSomebody,
} from './commands.ts';
import { refusalOf } from './contract-codes.ts';
import { expectedView } from './expected-views.ts';
import { type Expected, GateModel, isRequester, type ModelIntent } from './gate-model.ts';
import { runParameters } from './run-parameters.ts';
import { type Answer, openWorld, type World } from './world.ts';

/** One sequence on one fresh gate. */
class Play {
  readonly #world: World;
  readonly #model: GateModel;
  readonly #start: string;
  /** How many requests were refused as forbidden. */
  #forbidden = 0;

  constructor(world: World, mode: 'test' | 'live') {
    this.#world = world;
    this.#model = new GateModel(mode);
    this.#start = world.clock.now();
  }

  async step(made: MadeCommand): Promise<void> {
    const model = this.#model;
    const picked = pickIntent(made, model.intents);
    if ('pick' in made && !picked) return;
    const command = withSomebody(made, picked);
    const permit = picked && this.#permitFor(command, picked);
    if (command.kind === 'verify' && !permit) return;
    const target = picked ?? { id: '', number: model.intents.length, action: 'mail.send' };
    const answer = await this.#world.send(command, target, permit?.token ?? '');
    if (command.kind === 'advance') return model.advance(command.seconds);
    if (command.kind === 'sweep') return;
    if (command.kind === 'list') return this.#checkList(command, answer);
    const expected = this.#expect(command, picked, permit);
    await this.#check(command, expected, answer);
  }

  /** Checks everything once more, then the audit log. */
  async finish(): Promise<void> {
    for (const intent of this.#model.intents) {
      await this.#readBoth(intent);
    }
    await this.#checkAudit();
  }

  #permitFor(command: Command, intent: ModelIntent): ModelIntent['permits'][number] | undefined {
    const back = command.kind === 'verify' ? command.old : 0;
    return intent.permits.at(-1 - (back % Math.max(1, intent.permits.length)));
  }

  #expect(
    command: Exclude<Command, { kind: 'advance' | 'sweep' | 'list' }>,
    intent: ModelIntent | undefined,
    permit: ModelIntent['permits'][number] | undefined,
  ): Expected {
    const model = this.#model;
    if (command.kind === 'create') return model.create(command);
    if (command.kind === 'agent') return model.changeAgent(command);
    if (command.kind === 'switch') return model.throwSwitch(command);
    if (command.kind === 'policy') return model.putPolicy(command);
    if (!intent) throw new Error('nothing picked');
    switch (command.kind) {
      case 'decide':
        return model.decide(command, intent);
      case 'withdraw':
        return model.withdraw(command, intent);
      case 'redeem':
        return model.redeem(command, intent);
      case 'verify':
        return model.verify(command, intent, permit ?? { expiresAt: 0 });
      case 'outcome':
        return model.outcome(command, intent);
      case 'revoke':
        return model.revoke(command, intent);
      case 'read':
        return model.read(command, intent);
    }
  }

  async #check(command: Command, expected: Expected, answer: Answer): Promise<void> {
    const surface: SurfaceName = 'surface' in command ? command.surface : 'b';
    if (!expected.ok) {
      const refusal = refusalOf(surface, answer);
      expect(expected.refusals).toContain(refusal);
      if (refusal === 'forbidden') this.#forbidden += 1;
      if (expected.intent && command.kind === 'create') {
        expected.intent.id = String((answer.body.error as Record<string, unknown>).intent_id);
      }
    } else {
      expect(answer).toMatchObject({ status: expected.status });
      if (command.kind === 'create' && expected.intent) expected.intent.id = String(answer.body.id);
      if (command.kind === 'verify') {
        expect(answer.body).toMatchObject({
          valid: true,
          bound: expected.bound,
          authorizes: expected.bound,
          consumed: expected.consumed,
          intent_id: expected.intent?.id,
        });
      }
    }
    const { intent } = expected;
    if (!intent) return;
    await this.#learnToken(intent);
    if (expected.ok && ['create', 'decide', 'withdraw', 'redeem', 'read'].includes(command.kind)) {
      const holdsPermit = 'who' in command && mayHoldPermit(command.who, intent);
      this.#checkView(surface, intent, answer, holdsPermit);
    }
    await this.#readBoth(intent, surface);
  }

  /** The token of a permit just issued, as the requester's project reads it. */
  async #learnToken(intent: ModelIntent): Promise<void> {
    const newest = intent.permits.at(-1);
    if (newest?.token !== '') return;
    const { body } = await this.#world.read('b', intent.id);
    newest.token = String((body.permit as Record<string, unknown> | undefined)?.token);
  }

  /** Reads the result through the other surface, or, at the end, through both. */
  async #readBoth(intent: ModelIntent, except?: SurfaceName): Promise<void> {
    for (const surface of ['a', 'b'] as const) {
      if (surface === except) continue;
      const answer = await this.#world.read(surface, intent.id);
      expect(answer.status).toBe(200);
      this.#checkView(surface, intent, answer, true);
    }
  }

  #checkView(surface: SurfaceName, intent: ModelIntent, { body }: Answer, holdsPermit: boolean): void {
    const view = expectedView(surface, this.#model, intent, {
      actorIds: this.#world.actorIds,
      at: (seconds) => addSeconds(this.#start, seconds),
      holdsPermit,
    });
    expect(body).toMatchObject(view);
    for (const member of ['permit', 'permit_token', 'receipt_v2']) {
      expect(member in body, member).toBe(member in view);
    }
    const token = JSON.stringify(body).includes(intent.permits.at(-1)?.token ?? 'no permit');
    expect(token, 'a permit in the answer').toBe(holdsPermit && intent.permits.length > 0);
  }

  #checkList(command: Extract<Command, { kind: 'list' }>, answer: Answer): void {
    const expected = this.#model.list(command);
    if ('ok' in expected) {
      if (expected.ok) throw new Error('a list is no single answer');
      expect(expected.refusals).toContain(refusalOf('a', answer));
      if (expected.refusals.includes('forbidden')) this.#forbidden += 1;
      return;
    }
    expect(answer.status).toBe(200);
    const listed = answer.body.intents as Record<string, unknown>[];
    expect(listed.map(({ id, status }) => [id, status])).toEqual(
      expected.map(({ id, status }) => [id, status]),
    );
    expect(answer.body.next_cursor).toBeNull();
  }

  async #checkAudit(): Promise<void> {
    const records = await this.#world.audit();
    const told = records.map(({ type, intent_id: intentId, actor }) => {
      const { type: kind, id } = actor as { type: string; id: string };
      return { type, intent: intentId, actor: kind === 'policy' || kind === 'system' ? kind : id };
    });
    const happened = this.#model.history.map(({ type, intent, actor }) => ({
      type,
      intent: intent?.id ?? null,
      actor: actor === 'policy' ? 'policy' : actor === 'clock' ? 'system' : this.#world.actorIds[actor],
    }));
    const inOrder = (event: { type: unknown }) =>
      event.type !== 'intent.expired' && event.type !== 'access.refused';
    expect(told.filter(inOrder)).toEqual(happened.filter(inOrder));
    const expiries = (events: { type: unknown; intent: unknown }[]) =>
      events
        .filter(({ type }) => type === 'intent.expired')
        .map(({ intent }) => intent)
        .toSorted();
    expect(expiries(told)).toEqual(expiries(happened));
    // Refusals are recorded at a limited rate per credential and minute, and never more than once each.
    const refused = told.filter(({ type }) => type === 'access.refused').length;
    expect(refused).toBeLessThanOrEqual(this.#forbidden);
    expect(refused > 0).toBe(this.#forbidden > 0);

    const { projectId, first } = this.#world;
    const verified = await this.#world.call('GET', `/v1/projects/${projectId}/audit/verify`, {
      key: first.secret_key,
    });
    expect(verified.body).toMatchObject({
      valid: true,
      unsealed: 0,
      count: this.#world.prologue + records.length,
    });
  }
}

/** The requester's own credential, and the project's secret keys. */
function mayHoldPermit(who: Credential, intent: ModelIntent): boolean {
  return who === 'secret' || isRequester(who, intent);
}

test.each(['test', 'live'] as const)(
  'both surfaces follow the model of the contract, in %s mode',
  { timeout: 600_000 },
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 70, size: 'max' }), async (commands) => {
        const world = await openWorld(mode);
        try {
          const play = new Play(world, mode);
          for (const command of commands) await play.step(command);
          await play.finish();
        } finally {
          await world.close();
        }
      }),
      runParameters(60),
    );
  },
);
