/** Remembers the permit that admitted a request, outside the framework's own request object. */
import type { AdmittedPermit } from './guard.ts';

const ADMITTED = new WeakMap<object, AdmittedPermit>();

export function rememberAdmitted(request: object, permit: AdmittedPermit): void {
  ADMITTED.set(request, permit);
}

/**
 * The permit that admitted this request, and the parameters as checked.
 *
 * @throws TypeError when no guard protects the handler, which must not run unchecked
 * @example const { params } = permitOf(request);
 */
export function permitOf(request: object): AdmittedPermit {
  const permit = ADMITTED.get(request);
  if (permit === undefined) throw new TypeError('no permit: permitGuard does not run before this handler');
  return permit;
}
