/**
 * The requests to a gate and its answers, in order: the only memory that the checks trust.
 *
 * Everything sent may have happened. Everything answered must have happened, and must remain so after any crash.
 */
import type { Answer, AnyClient, Ask } from '../gate/client.ts';

export type DeedKind =
  | 'create'
  | 'ask-tool'
  | 'run-tool'
  | 'vote'
  | 'withdraw'
  | 'redeem'
  | 'consume'
  | 'revoke'
  | 'outcome'
  | 'policy'
  | 'register'
  | 'agent-status'
  | 'mint'
  | 'revoke-key'
  | 'member'
  | 'group'
  | 'switch'
  | 'head';

export interface Deed {
  kind: DeedKind;
  /** The id of its object. For a creation: a text of our own that occurs nowhere else. */
  subject: string;
  ask: Ask;
  /** Place in the order of sending. */
  sentAs: number;
  /** Place in the order of answers. Null: no answer, or one that does not say whether it was carried out. */
  answeredAs: number | null;
  answer: Answer | null;
  /** Everything sent in an earlier era without an answer has either happened, or never will. */
  era: number;
}

/** A deed that was carried out, according to its answer. */
export type DoneDeed = Deed & { answer: Answer; answeredAs: number };

/** The connection ended without an answer: the gate is gone, and the story ends. */
export class NoAnswer extends Error {}

/** The gate refused temporarily (503): the story ends here, and nothing may have changed. */
export class Unavailable extends Error {}

export class Chronicle {
  readonly deeds: Deed[] = [];
  /** Answers that no story expects. */
  readonly surprises: string[] = [];
  #answered = 0;
  #era = 0;
  readonly #onAnswer: (answeredAs: number) => void;

  /** @param onAnswer Called for every answer at once, before anything else happens. */
  constructor(onAnswer: (answeredAs: number) => void = () => {}) {
    this.#onAnswer = onAnswer;
  }

  get answered(): number {
    return this.#answered;
  }

  /** Called when no process is left that could still carry out unanswered deeds. */
  settle(): void {
    this.#era += 1;
  }

  /** Whether a deed of this kind may still be carried out, although nobody waits for it. */
  isUnsettled(kind: DeedKind): boolean {
    return this.deeds.some(
      (deed) => deed.kind === kind && deed.answeredAs === null && deed.era === this.#era,
    );
  }

  /** @throws NoAnswer, Unavailable, Error for an unexpected answer */
  async tell(
    client: AnyClient,
    kind: DeedKind,
    subject: string,
    ask: Ask,
    expected: readonly number[] = [200, 201],
  ): Promise<Answer> {
    const [sentAs, era] = [this.deeds.length, this.#era];
    const deed: Deed = { kind, subject, ask, sentAs, era, answeredAs: null, answer: null };
    this.deeds.push(deed);
    const answer = await client.ask(ask);
    if (!answer || isUnknown(answer)) throw new NoAnswer();
    this.#answered += 1;
    deed.answer = answer;
    deed.answeredAs = this.#answered;
    this.#onAnswer(this.#answered);
    if (answer.status === 503) throw new Unavailable();
    if (expected.includes(answer.status)) return answer;
    this.surprises.push(
      `${ask.method} ${ask.path} answered ${answer.status}: ${JSON.stringify(answer.body)}`,
    );
    throw new Error('a surprise');
  }

  /** Carried out, according to the answers up to that one. */
  done(through = this.#answered): DoneDeed[] {
    return this.deeds
      .filter(
        (deed): deed is DoneDeed => deed.answeredAs !== null && deed.answeredAs <= through && succeeded(deed),
      )
      .sort((a, b) => a.answeredAs - b.answeredAs);
  }

  /** Answered with "nothing was changed". */
  unavailable(): DoneDeed[] {
    return this.deeds.filter((deed): deed is DoneDeed => deed.answer?.status === 503);
  }
}

function succeeded({ answer }: Deed): boolean {
  return answer !== null && (answer.status < 300 || isDeniedByPolicy(answer));
}

/** Refused, and recorded as a denied intent. */
export function isDeniedByPolicy(answer: Answer): boolean {
  return answer.status === 403 && errorOf(answer).code === 'policy_violation';
}

/** The gate does not say that nothing was changed: its database was gone before it could answer. */
export function isUnknown(answer: Answer): boolean {
  return answer.status === 503 && !/nothing was changed/i.test(String(errorOf(answer).message));
}

export function errorOf(answer: Answer): Record<string, unknown> {
  return (answer.body.error ?? {}) as Record<string, unknown>;
}
