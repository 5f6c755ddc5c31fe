export interface FieldProblem {
  path: string;
  message: string;
}

/** The gate refused a call, or could not be reached. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The error code, in lower case on both surfaces. `offline` or `timeout` when there was no answer. */
  readonly code: string;
  readonly requestId: string | null;
  /** The problems in the request body, by field. */
  readonly fields: readonly FieldProblem[];
  /** All members of the error as the gate sent them, e.g. `expired_at`, `status`, `methods`, `proof_tier`. */
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

/** Whether a thrown value is a refusal with this code. */
export function isRefusal(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}

/** The message for one form field, or undefined. The gate may write its path as `email` or `/email`. */
export function fieldError(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.fields.find(({ path }) => path.replace(/^\//, '').replaceAll('/', '.') === name);
  return found && sentence(found.message);
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
