/** The secret of a one-time link. It stands behind `#`, which browsers send to nobody. */
import { useLocation } from 'react-router';

export function useLinkToken(): string {
  // Never decoded: a token has no character that an address would have to escape.
  return useLocation().hash.slice(1);
}
