/** Which permit a request was let in with, kept beside the frameworks' own requests rather than in them. */
import type { AdmittedPermit } from './guard.ts';

const ADMITTED = new WeakMap<object, AdmittedPermit>();

export function rememberAdmitted(request: object, permit: AdmittedPermit): void {
  ADMITTED.set(request, permit);
}

/**
 * The permit this request was let in with, and the parameters as they were checked.
 *
 * @throws TypeError where no guard stands in front of the handler, rather than let it run on nothing
 * @example const { params } = permitOf(request);
 */
export function permitOf(request: object): AdmittedPermit {
  const permit = ADMITTED.get(request);
  if (permit === undefined)
    throw new TypeError('no permit: permitGuard does not stand in front of this handler');
  return permit;
}
