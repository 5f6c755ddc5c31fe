/**
 * One project as the attacker meets it: the people in it, what the run can create, and a record of all that must not
 * change.
 */
import { isDeepStrictEqual } from 'node:util';
import { type ProjectMode, ROLES } from '@permitry/protocol';
import type { PersonKeys, ProjectKeys } from '../keys-file.ts';
import { NotProvided } from '../undefended.ts';
import { UsageError } from '../usage-error.ts';
import type { RangeClock } from './clock.ts';
import { check, expectDone, fail, idOf, permitOf } from './expect.ts';
import type { Answer, CallOptions, HttpClient } from './http-client.ts';
import type { Inside } from './inside.ts';
import { type Surface, surfacesOf } from './surfaces.ts';

/** Signs in again before the fifteen minutes end for which a sign-in counts as presence. */
const PRESENT_MS = 10 * 60_000;
/** The lifetime of things that an interrupted run leaves behind. */
const LIFETIME_SECONDS = 900;

/** An approved action, ready to be used. */
export interface NewPermit {
  id: string;
  /** What an executor presents: the permit, and the exact action and parameters. */
  shown: { token: string; action: string; params: object | string };
}

export interface MadeAgent {
  id: string;
  name: string;
  key: string;
}

type Undo = () => Promise<Answer>;
/** The credentials of a request: a key, or the headers that a browser sends. */
type Credentials = Pick<CallOptions, 'key' | 'headers'>;

/** The headers that a signed-in browser sends with each request. */
type SignedIn = { cookie: string; origin: string };

export class Stage {
  readonly keys: ProjectKeys;
  readonly client: HttpClient;
  readonly clock: RangeClock;
  readonly inside: Inside | undefined;
  readonly surfaces: readonly [Surface, Surface];
  readonly #run: string;
  readonly #destructive: boolean;
  readonly #undo: Undo[] = [];
  #otherAgent: string | undefined;
  /** The origin of the gate's own pages, which a browser names in each request. */
  origin: string;
  #atBrowser: { headers: Promise<SignedIn>; sinceMs: number } | undefined;
  #policyTurn: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** @param run A word that marks everything that this run creates. */
  constructor(
    client: HttpClient,
    keys: ProjectKeys,
    {
      run,
      destructive,
      clock,
      inside,
    }: { run: string; destructive: boolean; clock: RangeClock; inside: Inside | undefined },
  ) {
    this.keys = keys;
    this.clock = clock;
    this.inside = inside;
    this.client = client;
    this.surfaces = surfacesOf(client.call.bind(client));
    this.origin = client.target.origin;
    this.#run = run;
    this.#destructive = destructive;
    const { secrets } = client;
    const { mode } = keys;
    if (keys.agent_key) secrets.add(keys.agent_key, `the agent (${mode})`);
    if (keys.second_agent_key) secrets.add(keys.second_agent_key, `the second agent (${mode})`);
    if (keys.secret_key) secrets.add(keys.secret_key, `the secret key (${mode})`);
    if (keys.verifier_key) secrets.add(keys.verifier_key, `the verifier key (${mode})`);
    for (const { token, email, role, password, secret_key } of this.people) {
      secrets.add(token, `${email} (${role}, ${mode})`);
      if (secret_key) secrets.add(secret_key, `a secret key of ${email} (${mode})`);
      if (password) secrets.add(password, `the password of ${email}`);
    }
  }

  get projectId(): string {
    return this.keys.project_id;
  }

  get mode(): ProjectMode {
    return this.keys.mode;
  }

  get root(): string {
    return `/v1/projects/${this.projectId}`;
  }

  get people(): readonly PersonKeys[] {
    return this.keys.people ?? [];
  }

  /** Whether the run may change the whole project: its policy and its emergency stop. */
  get mayTouchProject(): boolean {
    return this.#destructive || this.keys.disposable === true;
  }

  // ── People and credentials ────────────────────────────────────────────────────────────────────────────────────

  get agentKey(): string {
    return given(this.keys.agent_key, 'an agent key');
  }

  get secretKey(): string {
    return given(this.keys.secret_key, 'a secret key');
  }

  get verifierKey(): string {
    return given(this.keys.verifier_key, 'a verifier key');
  }

  /** People with a token that can decide, approvers first. */
  get approvers(): readonly PersonKeys[] {
    return this.people
      .filter(({ role, rights }) => role !== 'viewer' && rights.includes('decide'))
      .toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  }

  /**
   * The person who manages the project, preferably an admin. In live mode, they do so at a browser, because no program
   * can.
   */
  get managingPerson(): PersonKeys | undefined {
    return this.people
      .filter(({ role }) => role === 'admin' || role === 'owner')
      .filter(({ rights, password }) =>
        this.mode === 'live' ? password !== undefined : rights.includes('manage'),
      )
      .toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))[0];
  }

  /** Whether the run can create agents, keys and people, and publish policies. */
  get canManage(): boolean {
    return this.managingPerson !== undefined || (this.mode === 'test' && this.keys.secret_key !== undefined);
  }

  /** A program with the right to stop things: it revokes permits in both modes. */
  get stopper(): string {
    const program = this.people.find(
      ({ role, rights }) => (role === 'admin' || role === 'owner') && rights.includes('manage'),
    );
    return given(this.keys.secret_key ?? program?.token, 'a secret key, or a token of an admin that manages');
  }

  /** Credentials that can create agents, keys and people, and publish policies. */
  async managing(): Promise<Credentials> {
    const { managingPerson, keys } = this;
    if (this.mode === 'test') {
      return { key: given(keys.secret_key ?? managingPerson?.token, 'a credential that manages') };
    }
    const person = given(managingPerson, 'an admin who signs in');
    if (this.#atBrowser === undefined || this.clock.now() - this.#atBrowser.sinceMs > PRESENT_MS) {
      this.#atBrowser = { headers: this.#signIn(person, this.origin), sinceMs: this.clock.now() };
    }
    return { headers: await this.#atBrowser.headers };
  }

  /**
   * A credential that can decide agents' requests. In live mode, never a program of the person who created their keys.
   */
  get findDecider(): string | undefined {
    const { managingPerson } = this;
    const somebody = this.approvers.find(({ email }) => email !== managingPerson?.email);
    return somebody?.token ?? this.keys.secret_key ?? this.approvers[0]?.token;
  }

  get decider(): string {
    return given(this.findDecider, 'a credential that decides');
  }

  /** An approver who signs in at a browser. */
  get findSignIn(): PersonKeys | undefined {
    return this.approvers.find(({ password }) => password !== undefined);
  }

  /** A credential that can read everything. */
  get findObserver(): string | undefined {
    return this.keys.secret_key ?? this.managingPerson?.token;
  }

  get observer(): string {
    return given(this.findObserver, 'a secret key, or a token of an admin');
  }

  /** The key of a second agent, which `agentKey` is not: the one in the keys file, or the key of a new agent. */
  async otherAgentKey(): Promise<string> {
    this.#otherAgent ??= this.keys.second_agent_key ?? (await this.newAgent()).key;
    return this.#otherAgent;
  }

  // ── Creating things; the end of the run removes all of them ───────────────────────────────────────────────────

  /** Makes a name that is unique to this run. */
  name(what: string): string {
    this.#count += 1;
    return `attack-${this.#run}-${what}-${this.#count}`;
  }

  /** An action that only this run's rules match. */
  action(what: string): string {
    return `attack.${this.#run}.${what}`;
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return this.client.call(method, path, options);
  }

  async manage(
    method: string,
    path: string,
    body?: object | string,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const { key, headers } = await this.managing();
    return this.call(method, this.root + path, { key, body, headers: { ...headers, ...more } });
  }

  async newAgent(more: object = {}): Promise<MadeAgent> {
    const name = this.name('agent');
    const agent = expectDone(await this.manage('POST', '/agents', { name, ...more }), 'registering an agent');
    const id = idOf(agent);
    this.#undo.push(() => this.manage('POST', `/agents/${id}/revoke`, {}));
    const { key } = await this.newKey({ kind: 'agent', agent_id: id });
    return { id, name, key };
  }

  /** A secret key belongs to the managing person. */
  async newKey(properties: {
    kind: string;
    [member: string]: unknown;
  }): Promise<{ id: string; key: string }> {
    const body = { name: this.name('key'), ...properties };
    const made = expectDone(await this.manage('POST', '/keys', body), 'making a key');
    const id = idOf(made);
    this.#undo.push(() => this.manage('POST', `/keys/${id}/revoke`, {}));
    const key = String(made.body.key);
    this.client.secrets.add(key, `a ${properties.kind} key made for the attack`);
    return { id, key };
  }

  /** Signs a person in as their browser would. Returns the headers that the browser sends from then on. */
  signIn(): Promise<SignedIn> {
    return this.#signIn(given(this.findSignIn, 'somebody who signs in'), this.origin);
  }

  async #signIn(person: PersonKeys, origin: string): Promise<SignedIn> {
    const { email, password } = person;
    const answer = expectDone(
      await this.call('POST', '/console/sign-in', { headers: { origin }, body: { email, password } }),
      'signing in',
    );
    const [cookie = ''] = answer.headers['set-cookie']?.[0]?.split(';') ?? [];
    this.client.secrets.add(cookie.slice(cookie.indexOf('=') + 1), `the session of ${email}`);
    const headers = { cookie, origin };
    this.#undo.push(async () => {
      const gone = await this.call('POST', '/console/sign-out', { headers, body: {} });
      // If the session has already ended, there is nothing to clean up.
      return gone.status === 401 ? { ...gone, status: 204 } : gone;
    });
    return headers;
  }

  async newMember(role: string): Promise<{ id: string; email: string }> {
    const email = `${this.name('person')}@example.org`;
    const made = expectDone(await this.manage('POST', '/members', { email, role }), 'adding a person');
    const id = idOf(made);
    this.#undo.push(() => this.manage('DELETE', `/members/${id}`));
    return { id, email };
  }

  /** Registers clean-up for something that exists only if an attack succeeded. */
  takeBack(undo: Undo): void {
    this.#undo.push(undo);
  }

  /** A pending intent of the agent. */
  async newIntent(
    action = this.action('refund'),
    params: object | string = { amount: 5 },
    more: object = {},
  ): Promise<string> {
    const { key = this.agentKey, via = this.surfaces[1], ...rest } = more as { key?: string; via?: Surface };
    const made = expectDone(
      await via.create(key, action, params, { expires_in: LIFETIME_SECONDS, ...rest }),
      'creating an intent',
    );
    if (made.body.status !== 'pending')
      fail(`an intent that nobody decided is ${String(made.body.status)}`, made);
    return idOf(made);
  }

  /** An approved intent of the agent, with its permit. */
  async newPermit({
    action = this.action('refund'),
    params = { amount: 5 },
    key = this.agentKey,
    more = {},
  }: {
    action?: string;
    params?: object | string;
    key?: string;
    more?: object;
  } = {}): Promise<NewPermit> {
    const id = await this.newIntent(action, params, { ...more, key });
    const approved = expectDone(await this.surfaces[1].approve(this.decider, id), 'approving an intent');
    if (approved.body.status !== 'approved')
      throw new NotProvided('a project in which one approval is enough for actions that no rule names');
    const read = expectDone(await this.surfaces[1].read(key, id), 'reading an approved intent');
    return { id, shown: { token: permitOf(read), action, params } };
  }

  /** Adds rules to the active policy, for this run's actions only, and removes them afterwards. One call at a time. */
  withRules<T>(rules: readonly object[], work: () => Promise<T>): Promise<T> {
    const turn = this.#policyTurn.then(async () => {
      const before = expectDone(await this.manage('GET', '/policies'), 'reading the policy');
      const document = before.body.policy as { rules: object[] };
      this.#undo.push(() => this.#restore(document));
      await this.#restore({ ...document, rules: [...document.rules, ...rules] });
      try {
        return await work();
      } finally {
        await this.#restore(document);
        this.#undo.pop();
      }
    });
    this.#policyTurn = turn.catch(() => undefined);
    return turn;
  }

  async #restore(document: object): Promise<Answer> {
    return expectDone(await this.manage('PUT', '/policies', document), 'saving a policy');
  }

  // ── What must not change ──────────────────────────────────────────────────────────────────────────────────────

  /** The project as its observer sees it, without times of last use, together with these intents. */
  async picture({
    intents = [],
    whole = true,
  }: {
    intents?: readonly string[];
    whole?: boolean;
  } = {}): Promise<object> {
    const read = async (path: string): Promise<[string, unknown]> => {
      const { status, body } = await this.call('GET', path, { key: this.observer });
      return [path, { status, body: withoutLastUse(body) }];
    };
    const paths = whole
      ? [
          '',
          '/policies',
          '/agents?limit=200',
          '/keys?limit=200',
          '/members?limit=200',
          '/groups?limit=200',
        ].map((path) => this.root + path)
      : [];
    return Object.fromEntries(
      await Promise.all([...paths, ...intents.map((id) => `/v1/intents/${id}`)].map(read)),
    );
  }

  /**
   * Runs an attack, and fails if anything changed: what the observer sees and, in the gate's own process, every row.
   *
   * @param watched.recorded whether it leaves events of refusals, or how many; no others are written
   */
  async unchanged<T>(
    what: string,
    watched: { intents?: readonly string[]; whole?: boolean; recorded?: boolean | number },
    attack: () => Promise<T>,
  ): Promise<T> {
    const before = (await this.picture(watched)) as Record<string, unknown>;
    const result = await this.#leavingRows(what, watched.recorded ?? false, attack);
    const after = (await this.picture(watched)) as Record<string, unknown>;
    for (const path of Object.keys(before)) {
      if (!isDeepStrictEqual(before[path], after[path]))
        fail(
          `${what}: something changed, see GET ${path}`,
          await this.call('GET', path, { key: this.observer }),
        );
    }
    return result;
  }

  async #leavingRows<T>(what: string, refusals: boolean | number, attack: () => Promise<T>): Promise<T> {
    const { inside } = this;
    if (inside === undefined) return attack();
    // The same refusal is recorded once a minute.
    if (refusals !== false) await this.clock.pass(60);
    if (this.canManage) await this.managing();
    const [before, position] = [inside.rows(), inside.position()];
    const result = await attack();
    const written = inside.written(position).map(({ type }) => type);
    const others = written.filter((type) => refusals === false || type !== 'access.refused');
    check(others.length === 0, `${what}: events are written: ${others.join(', ')}`);
    const isEnough = typeof refusals === 'number' ? written.length === refusals : written.length > 0;
    check(refusals === false || isEnough, `${what}: ${written.length} refusals are in the log`);
    const after = inside.rows();
    for (const table of Object.keys(before))
      check(isDeepStrictEqual(before[table], after[table]), `${what}: rows of ${table} changed`);
    return result;
  }

  /** The types of one intent's events, in order. */
  async story(intentId: string): Promise<readonly string[]> {
    const answer = expectDone(
      await this.call('GET', `${this.root}/audit?intent_id=${intentId}&order=asc&limit=200`, {
        key: this.observer,
      }),
      'reading the audit log',
    );
    return (answer.body.data as { type: string }[]).map(({ type }) => type);
  }

  // ── Before and after ──────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Checks that every key opens what it should. So no case passes only because no key works.
   *
   * @throws UsageError
   */
  async assertUsable(): Promise<void> {
    const keys = [
      ...Object.entries({
        secret_key: this.keys.secret_key,
        agent_key: this.keys.agent_key,
        second_agent_key: this.keys.second_agent_key,
        verifier_key: this.keys.verifier_key,
      }),
      ...this.people.flatMap(({ token, email, secret_key }) => [
        [`the token of ${email}`, token] as const,
        [`the secret key of ${email}`, secret_key] as const,
      ]),
    ];
    for (const [name, key] of keys) {
      if (key === undefined) continue;
      const { status, body } = await this.call('GET', this.root, { key });
      if (status !== 200)
        throw new UsageError(
          `The gate does not accept ${name} of project ${this.projectId} (it answers ${status}).`,
        );
      if (body.mode !== this.mode)
        throw new UsageError(`The project ${this.projectId} is not in ${this.mode} mode.`);
      if (body.stopped === true)
        throw new UsageError(`The project ${this.projectId} is stopped: nothing can be tried in it.`);
    }
    if (this.keys.agent_key) {
      const { status, body } = await this.surfaces[0].create(
        this.keys.agent_key,
        this.action('probe'),
        {},
        { expires_in: LIFETIME_SECONDS },
      );
      if (status === 201) this.origin = new URL(String(body.approval_url)).origin;
      if (status !== 201 || body.status !== 'pending')
        throw new UsageError(
          `In project ${this.projectId} an action named ${this.action('probe')} does not wait for a person (status ${status} ${String(body.status ?? '')}); attack a project whose policy leaves such actions to its approvers.`,
        );
    }
  }

  /** Removes everything that the run created. Returns what it could not remove. */
  async tidyUp(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const undo of this.#undo.toReversed()) {
      const answer = await undo().catch((error: unknown) => error);
      const status = (answer as Partial<Answer>).status;
      const gone = status !== undefined && (status < 300 || status === 404 || status === 409);
      if (!gone)
        left.push(
          `${(answer as Partial<Answer>).exchange?.method ?? ''} ${(answer as Partial<Answer>).exchange?.path ?? String(answer)}: ${status ?? 'no answer'}`,
        );
    }
    await this.#endPending();
    return left;
  }

  /** Intents also expire without this step, which only removes them from the approvers' lists. */
  async #endPending(): Promise<void> {
    const { findObserver: key, findDecider: decider } = this;
    if (key === undefined) return;
    let cursor: unknown = '';
    for (let page = 0; page < 20 && typeof cursor === 'string'; page += 1) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await this.call('GET', `/api/intents?status=pending&limit=200${query}`, { key });
      const intents = (body.intents ?? []) as { id: string; action: string }[];
      await Promise.all(
        intents
          .filter(({ action }) => action.startsWith(this.action('')))
          .map(async ({ id }) => {
            const path = `/v1/intents/${id}/withdraw`;
            const { status } = await this.call('POST', path, { key: this.keys.agent_key ?? key, body: {} });
            if (status !== 200 && decider !== undefined) await this.surfaces[1].deny(decider, id);
          }),
      );
      cursor = body.next_cursor;
    }
  }
}

function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new NotProvided(what);
  return value;
}

const OF_THE_MOMENT = ['last_used_at', 'last_seen_at', 'request_id'];

/** Without members that another request may change at any moment. */
export function withoutLastUse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLastUse);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !OF_THE_MOMENT.includes(name))
      .map(([name, member]) => [name, withoutLastUse(member)]),
  );
}
