/** Tells the story at the terminal: who calls what, the answer, and why it matters. */
import { styleText } from 'node:util';
import type { JsonObject, JsonValue } from '@permitry/protocol';
import type { Exchange } from './exchange.ts';
import { fitJson, wrap } from './layout.ts';
import { pickProperties, readProperty } from './properties.ts';

type Style = Parameters<typeof styleText>[0];

/** Width of the column that says who is speaking. */
const LABEL = 10;
/** Where the texts beside that column begin. */
const TEXT = LABEL + 2;

const VOICES: Readonly<Record<string, Style>> = { agent: 'cyan', owner: 'magenta', payments: 'yellow' };

/** The gate, or a consequence of its answer, is not as expected. */
export class UnexpectedAnswerError extends Error {}

export interface Expected {
  status: number;
  /** Keyed by dotted path, e.g. `error.code`. They are shown and compared. */
  properties: Record<string, JsonValue>;
  /** Members that are shown but not compared. */
  show?: readonly string[];
}

export class Narrator {
  /** Long values, and the text shown instead. Example: a token, and `$PERMIT`. */
  readonly #shorthands = new Map<string, string>();
  #step = 0;

  shorten(value: string, name: string): void {
    this.#shorthands.set(value, name);
  }

  title(text: string, sentence: string): void {
    this.line(`\n ${paint(['bold', 'inverse'], ` ${text} `)}\n\n${wrap(sentence, 1)}`);
  }

  step(title: string): void {
    this.#step += 1;
    this.line(`\n ${paint(['bold', 'blue'], `${this.#step}.`)} ${paint('bold', title)}`);
  }

  /** An action that is not a call. */
  does(who: string, what: string): void {
    this.line(`  ${paint(VOICES[who] ?? 'gray', who.padEnd(LABEL))}${what}`);
  }

  /** The call as you would type it. */
  calls(exchange: Pick<Exchange, 'who' | 'method' | 'path' | 'body'>, aside = ''): void {
    this.does(exchange.who, this.#curl(exchange) + (aside && `   ${paint('gray', aside)}`));
  }

  /**
   * Shows the call and the answer, and whether the answer is the expected one.
   *
   * @throws UnexpectedAnswerError if it is not.
   */
  tell(exchange: Exchange, expected: Expected): void {
    this.calls(exchange);
    this.check(exchange, expected);
  }

  check(
    { status, answer }: Pick<Exchange, 'status' | 'answer'>,
    { status: wanted, properties, show = [] }: Expected,
  ): void {
    const problems = Object.entries(properties)
      .filter(([path, value]) => JSON.stringify(readProperty(answer, path)) !== JSON.stringify(value))
      .map(([path, value]) => `${path} must be ${JSON.stringify(value)}`);
    if (status !== wanted) problems.unshift(`the status must be ${wanted}`);

    // A wrong answer is shown completely.
    const shown =
      problems.length > 0 ? answer : pickProperties(answer, [...Object.keys(properties), ...show]);
    let text = this.#fit(shown, TEXT + 4);
    for (const value of Object.values(properties)) {
      if (typeof value === 'string') text = text.replaceAll(`"${value}"`, (quoted) => paint('bold', quoted));
    }
    this.#mark(problems.length === 0, `${paint('bold', String(status))} ${text}`);
    if (problems.length > 0) throw new UnexpectedAnswerError(problems.join('; '));
  }

  /** @throws UnexpectedAnswerError if `holds` is false. */
  assert(holds: boolean, what: string): void {
    this.#mark(holds, what);
    if (!holds) throw new UnexpectedAnswerError(what);
  }

  /** Names and values in two columns, below an action. */
  table(rows: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(...rows.map(([name]) => name.length));
    for (const [name, value] of rows) {
      this.line(`${' '.repeat(TEXT)}${paint('gray', name.padEnd(width))}  ${value}`);
    }
  }

  why(sentence: string): void {
    this.line(paint('gray', wrap(sentence, TEXT)));
  }

  line(text = ''): void {
    process.stdout.write(`${text}\n`);
  }

  #mark(holds: boolean, text: string): void {
    const mark = holds ? paint('green', '✓') : paint(['bold', 'red'], '✗');
    this.line(`${' '.repeat(LABEL)}${mark} ${text}`);
  }

  #curl({ method, path, body }: Pick<Exchange, 'method' | 'path' | 'body'>): string {
    const call = `curl ${method === 'GET' ? '' : `-X ${method} `}"$GATE${this.#abbreviate(path)}"`;
    if (body === undefined) return call;
    const data = this.#fit(body, TEXT + 6).replaceAll("'", "'\\''");
    return `${call} \\\n${' '.repeat(TEXT + 2)}-d '${data}'`;
  }

  #fit(value: JsonObject, indent: number): string {
    return fitJson(JSON.parse(this.#abbreviate(JSON.stringify(value))) as JsonObject, indent);
  }

  #abbreviate(text: string): string {
    let short = text;
    for (const [value, name] of this.#shorthands) short = short.replaceAll(value, name);
    return short;
  }
}

/** Uses colour only on a terminal, and without NO_COLOR. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
