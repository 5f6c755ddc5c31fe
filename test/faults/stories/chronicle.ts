/**
 * What was asked of a gate and what it answered, in order: the only memory that the checks believe.
 *
 * Everything sent may have happened. What was answered must have happened, and must still be so after any crash.
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
  /** The id of what it was done to; for what is being made, a text of our own that is nowhere else. */
  subject: string;
  ask: Ask;
  /** Place in the order of sending. */
  sentAs: number;
  /** Place in the order of answers; null: none came, or one that does not say whether it was carried out. */
  answeredAs: number | null;
  answer: Answer | null;
  /** Whatever was sent in an era before this one and not answered has happened by now, or never will. */
  era: number;
}

/** A deed that was carried out, as its answer says. */
export type DoneDeed = Deed & { answer: Answer; answeredAs: number };

/** The connection ended without an answer: the gate is gone, and the story with it. */
export class NoAnswer extends Error {}

/** The gate refused for now (503): the story ends here, nothing may have been changed. */
export class Unavailable extends Error {}

export class Chronicle {
  readonly deeds: Deed[] = [];
  /** Answers that no story expects. */
  readonly surprises: string[] = [];
  #answered = 0;
  #era = 0;
  readonly #onAnswer: (answeredAs: number) => void;

  /** @param onAnswer told of every answer at once, before anything else is done */
  constructor(onAnswer: (answeredAs: number) => void = () => {}) {
    this.#onAnswer = onAnswer;
  }

  get answered(): number {
    return this.#answered;
  }

  /** Said when nobody is left who might still carry out what was not answered. */
  settle(): void {
    this.#era += 1;
  }

  /** Whether a deed of this kind may be carried out yet, though nobody waits for it any more. */
  isUnsettled(kind: DeedKind): boolean {
    return this.deeds.some(
      (deed) => deed.kind === kind && deed.answeredAs === null && deed.era === this.#era,
    );
  }

  /** @throws NoAnswer, Unavailable, Error for an answer that is not as expected */
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

  /** Carried out, as answered up to that answer. */
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
