/**
 * The machine's clock is set forward and back: nothing lives longer, nothing ended becomes valid again, and nothing
 * loses its order.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkChain } from './checks/check-chain.ts';
import { type Cast, makeCast, policyOf } from './gate/cast.ts';
import type { Answer, Client } from './gate/client.ts';
import { startGate } from './gate/gate-process.ts';
import { seededRandom } from './random.ts';
import { assertNoFindings, type Scenario, type ScenarioOptions } from './scenario.ts';
import { ControlFile } from './shim/control-file.ts';
import { compileShim, shimEnvironment } from './shim/shim.ts';
import { errorOf } from './stories/chronicle.ts';
import { tokenIn } from './stories/intent-steps.ts';
import { inWorkplace } from './workplace.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The shortest lifetime that a policy can give a permit. */
const SHORTEST_PERMIT_S = 10;

export const clock: Scenario = {
  name: 'clock',
  summary: 'the machine’s clock is set back and forth under a gate at work, and between two starts',
  rounds: 3,
  run: (options) => runClock(options),
};

/** An intent as created, and its permit if a rule approved it. */
interface Made {
  id: string;
  token: string;
  createdAt: string;
  action: string;
}

class Asker {
  readonly made: Made[] = [];
  readonly findings: string[] = [];
  readonly #cast: Cast;
  client: Client;

  constructor(client: Client, cast: Cast) {
    this.client = client;
    this.#cast = cast;
  }

  async create(action: string, more: object = {}): Promise<Made> {
    const { body } = await this.#ask('POST', '/v1/intents', this.#cast.agentKey, {
      action,
      params: {},
      ...more,
    });
    const made = {
      id: String(body.id),
      token: tokenIn(body) ?? '',
      createdAt: String(body.created_at),
      action,
    };
    this.made.push(made);
    return made;
  }

  async expectStatus(what: string, { id }: Made, status: string): Promise<void> {
    const { body } = await this.#ask('GET', `/v1/intents/${id}`, this.#cast.secretKey);
    if (body.status !== status) this.findings.push(`${what} is ${String(body.status)} instead of ${status}`);
  }

  async expectUndecidable(what: string, { id }: Made): Promise<void> {
    const answer = await this.#ask('POST', `/v1/intents/${id}/approve`, this.#cast.secretKey, {});
    if (answer.status !== 410)
      this.findings.push(`approving ${what} is answered ${answer.status} instead of 410`);
  }

  /** @param expected `valid`, or the reason of the refusal: the same for verifying and for using the permit */
  async expectPermit(what: string, { token, action }: Made, expected: string): Promise<void> {
    for (const consume of expected === 'valid' ? [false] : [false, true]) {
      const body = { token, action, params: {}, consume };
      const answer = await this.#ask('POST', '/v1/permits/validate', this.#cast.verifierKey, body);
      const found = answer.status === 200 ? 'valid' : String(errorOf(answer).reason);
      if (found !== expected)
        this.findings.push(`${what} is ${found} instead of ${expected}, consume: ${consume}`);
    }
  }

  async use({ token, action }: Made): Promise<void> {
    const body = { token, action, params: {}, consume: true };
    const answer = await this.#ask('POST', '/v1/permits/validate', this.#cast.verifierKey, body);
    if (answer.status !== 200) this.findings.push(`using a fresh permit is answered ${answer.status}`);
  }

  async #ask(method: 'GET' | 'POST', path: string, key: string, body?: object): Promise<Answer> {
    const answer = await this.client.ask({ method, path, key, ...(body === undefined ? {} : { body }) });
    if (!answer) throw new Error('the gate is gone');
    return answer;
  }
}

async function runClock({ rounds, seed, short, say }: ScenarioOptions): Promise<string> {
  const shim = compileShim();
  const random = seededRandom(seed);
  return inWorkplace('clock', async (folder) => {
    const dataDir = join(folder, 'data');
    const control = new ControlFile(folder);
    const env = shimEnvironment(shim, dataDir, control.path);
    const cast = await makeCast(dataDir);
    let gate = await startGate(dataDir, env);
    const t = new Asker(gate.client, cast);
    await putShortPermits(t.client, cast);

    for (let round = 1; round <= rounds; round += 1) {
      const back = random.between(1, 20) * DAY_MS;
      control.setClockOffset(0);
      const brief = await t.create('ask.brief', { expires_in: 1 });
      const [quick, used, open] = [
        await t.create('quick.x'),
        await t.create('auto.x'),
        await t.create('ask.long'),
      ];
      await t.use(used);
      const issued = performance.now();

      control.setClockOffset(-back);
      await delay(1300);
      await t.expectStatus(
        'an intent of one second, after that second and with the clock set back',
        brief,
        'expired',
      );
      await t.expectUndecidable('it', brief);
      const later = await t.create('auto.x');
      if (later.createdAt < open.createdAt) t.findings.push('what was made later is dated earlier');
      await t.expectPermit('a permit made while the clock is set back', later, 'valid');
      // Even the shortest permit needs time to expire.
      if (!short) {
        await delay(SHORTEST_PERMIT_S * 1000 + 1000 - (performance.now() - issued));
        await t.expectPermit('a permit whose time has passed, with the clock set back', quick, 'expired');
      }

      control.setClockOffset(400_000);
      await t.expectPermit('a permit of 300 s, 400 s later', later, 'expired');
      control.setClockOffset(2 * HOUR_MS);
      await t.expectStatus('an intent of an hour, two hours later', open, 'expired');
      control.setClockOffset(0);
      await t.expectPermit('a permit that had expired, with the clock set back', later, 'expired');
      await t.expectStatus('an intent that had expired, with the clock set back', open, 'expired');
      await t.expectUndecidable('it', open);

      await gate.kill();
      control.setClockOffset(-back);
      gate = await startGate(dataDir, env);
      t.client = gate.client;
      await t.expectStatus('an intent that had expired, after a start in the past', open, 'expired');
      await t.expectStatus('another one', brief, 'expired');
      await t.expectPermit('a permit from the future', later, 'not_yet_valid');
      await t.use(await t.create('auto.x'));
      const chain = await checkChain(gate.client, cast, { dataDir, folder });
      t.findings.push(...chain.findings);
      chain.records.forEach(({ seq }, n) => {
        if (seq !== n + 1) t.findings.push(`record ${n + 1} of the log has seq ${seq}`);
      });
      assertNoFindings(t.findings, `round ${round}`);
      await gate.kill();
      control.setClockOffset(0);
      gate = await startGate(dataDir, env);
      t.client = gate.client;
      await t.expectPermit('a permit that was used', used, 'already_used');
      say(`round ${round}/${rounds}: set back by ${back / DAY_MS} days, ahead by two hours, and back`);
    }
    const ids = new Set(t.made.map(({ id }) => id));
    if (ids.size !== t.made.length) t.findings.push(`${t.made.length} intents share ${ids.size} ids`);
    assertNoFindings(t.findings, 'in the end');
    control.close();
    await gate.kill();
    return `${rounds} rounds: nothing lived longer, nothing came back, ${ids.size} ids unique, the chain in order`;
  });
}

async function putShortPermits(client: Client, { projectId, secretKey: key }: Cast): Promise<void> {
  const policy = policyOf('clock') as { rules: object[] };
  const quick = {
    name: 'quick',
    match: { action: 'quick.*' },
    effect: 'allow',
    permit_ttl: SHORTEST_PERMIT_S,
  };
  const body = { ...policy, rules: [...policy.rules, quick] };
  const answer = await client.ask({ method: 'PUT', path: `/v1/projects/${projectId}/policies`, key, body });
  if (answer?.status !== 200) throw new Error(`the policy was refused: ${JSON.stringify(answer?.body)}`);
}
