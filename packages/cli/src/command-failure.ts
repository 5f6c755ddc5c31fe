/** The codes by which programs distinguish failures. Failures of the gate itself keep their own codes. */
export type FailureCode =
  | 'usage'
  | 'refused'
  | 'not_found'
  | 'no_gate'
  | 'not_signed_in'
  | 'conflict'
  | 'proof_required'
  | 'port_unavailable';

/** The failure of a command. It has one sentence for the operator, and an exit code that says where the fault is. */
export class CommandFailure extends Error {
  /** 1: refused or invalid. 2: the command line, a setting or a file cannot be used as given. */
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

/** The command is usable, and is refused or invalid. */
export function refused(sentence: string, code: FailureCode = 'refused', cause?: unknown): CommandFailure {
  return new CommandFailure(1, sentence, { code, cause });
}
