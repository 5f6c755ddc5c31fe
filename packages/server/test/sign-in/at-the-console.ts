/** A browser on the dashboard: it sends the dashboard's origin and keeps the session cookie. */
import type { GateParts } from '../../src/open-gate.ts';
import { normalisePassword } from '../../src/people/passwords/check-password.ts';
import type { TestApp } from '../http/open-test-app.ts';

type Answer = Awaited<ReturnType<TestApp['call']>>;

export class BrowserAt {
  readonly #app: Pick<TestApp, 'call' | 'gate'>;
  readonly #address: string;
  cookie: string | null = null;

  constructor(app: Pick<TestApp, 'call' | 'gate'>, address = '192.0.2.1') {
    this.#app = app;
    this.#address = address;
  }

  post = (path: string, body: object = {}): Promise<Answer> => this.send('POST', path, body);
  get = (path: string): Promise<Answer> => this.send('GET', path);

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const origin = new URL(this.#app.gate.issuer).origin;
    const answer = await this.#app.call(method, `/console${path}`, {
      headers: { origin, ...(this.cookie === null ? {} : { cookie: this.cookie }) },
      address: this.#address,
      ...(body === undefined ? {} : { body }),
    });
    for (const header of [answer.headers['set-cookie'] ?? []].flat() as string[]) {
      const [pair = ''] = header.split(';');
      if (pair.startsWith('__Host-permitry_session='))
        this.cookie = header.includes('Max-Age=0') ? null : pair;
    }
    return answer;
  }

  /** The address of the person who is signed in, according to the gate. */
  async whoAmI(): Promise<string | null> {
    const { body } = await this.get('/session');
    return body.signed_in === true ? String((body.user as { email: string }).email) : null;
  }
}

/** Sets a password as if the person had chosen it earlier. */
export async function givePassword(gate: GateParts, userId: string, password: string): Promise<void> {
  const hash = await gate.passwords.hash(normalisePassword(password));
  await gate.storage.transaction((tx) => tx.savePassword({ userId, hash, changedAt: gate.clock.now() }));
}

export const PASSWORD = 'four tame herons dance';
export const OTHER_PASSWORD = 'seven blue kettles sing';
