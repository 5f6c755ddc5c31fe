/**
 * The requests to a gate and its answers, in order. The checks trust no other record.
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
  /** The ID of the deed's object. For a creation: a text of the test's own that occurs nowhere else. */
  subject: string;
  ask: Ask;
  /** Position in the order of sending. */
  sentAs: number;
  /**
   * Position in the order of answers. Null: there was no answer, or it did not say whether the deed was carried out.
   */
  answeredAs: number | null;
  answer: Answer | null;
  /**
   * The era in which the deed was sent. A deed of an earlier era without an answer has either happened, or never will.
   */
  era: number;
}

/** A deed that was carried out, according to its answer. */
export type DoneDeed = Deed & { answer: Answer; answeredAs: number };

/** The connection ended without an answer: the gate is gone, and the story ends. */
export class NoAnswer extends Error {}

/** The gate refused temporarily (503). The story ends here, and the gate must not have changed anything. */
export class Unavailable extends Error {}

export class Chronicle {
  readonly deeds: Deed[] = [];
  /** Answers that no story expects. */
  readonly surprises: string[] = [];
  #answered = 0;
  #era = 0;
  readonly #onAnswer: (answeredAs: number) => void;

  /** @param onAnswer Called for every answer immediately, before anything else happens. */
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

  /** Whether an unanswered deed of this kind may still be carried out. */
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

  /** Deeds that were carried out, according to the answers up to that one. */
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

/** Whether a 503 leaves open if anything was changed, because the gate lost its database before it could answer. */
export function isUnknown(answer: Answer): boolean {
  return answer.status === 503 && !/nothing was changed/i.test(String(errorOf(answer).message));
}

export function errorOf(answer: Answer): Record<string, unknown> {
  return (answer.body.error ?? {}) as Record<string, unknown>;
}
