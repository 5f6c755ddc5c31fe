export interface FieldProblem {
  path: string;
  message: string;
}

/** A refusal of the gate, or that it could not be reached. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** In lower case on both surfaces; `offline` and `timeout` when there was no answer. */
  readonly code: string;
  readonly requestId: string | null;
  /** What is wrong with which member of the body. */
  readonly fields: readonly FieldProblem[];
  /** All members of the error as they came, e.g. `expired_at`, `status`, `methods`, `proof_tier`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    error: { code: string; message: string; request_id?: string; fields?: readonly FieldProblem[] },
  ) {
    super(error.message);
    this.status = status;
    this.code = error.code.toLowerCase();
    this.requestId = error.request_id ?? null;
    this.fields = error.fields ?? [];
    this.details = { ...error };
  }
}

/** Whether something thrown is this refusal. */
export function isRefusal(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}

/** The sentence for one field of a form, or undefined. Its path may be written `email` or `/email`. */
export function fieldError(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.fields.find(({ path }) => path.replace(/^\//, '').replaceAll('/', '.') === name);
  return found && sentence(found.message);
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
