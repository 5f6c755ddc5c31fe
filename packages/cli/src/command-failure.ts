/** What programs may tell failures apart by; those of the gate itself keep their own codes. */
export type FailureCode =
  | 'usage'
  | 'refused'
  | 'not_found'
  | 'no_gate'
  | 'not_signed_in'
  | 'conflict'
  | 'proof_required'
  | 'port_unavailable';

/** A command that cannot do what it was asked: one sentence for the operator, and the exit code that says whose fault it is. */
export class CommandFailure extends Error {
  /** 1: refused or invalid; 2: the command line, a setting or a file cannot be used as given. */
  readonly exitCode: 1 | 2;
  readonly code: FailureCode;

  constructor(exitCode: 1 | 2, message: string, options: { cause?: unknown; code?: FailureCode } = {}) {
    super(message, options);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.code = options.code ?? (exitCode === 2 ? 'usage' : 'refused');
  }
}

/** The command line, a setting or a file cannot be used as given. */
export function usage(sentence: string, cause?: unknown): CommandFailure {
  return new CommandFailure(2, sentence, { cause });
}

/** It can be used, and is refused or invalid. */
export function refused(sentence: string, code: FailureCode = 'refused', cause?: unknown): CommandFailure {
  return new CommandFailure(1, sentence, { code, cause });
}
