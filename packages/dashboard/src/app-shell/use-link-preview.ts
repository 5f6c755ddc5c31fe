import { useQuery } from '@tanstack/react-query';
import { isRefusal } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { useLinkToken } from './link-token.ts';

/**
 * What stands behind the one-time link of this page. Looking does not use the link up.
 *
 * @param isUsed Whether it was used up meanwhile, by this page itself: then nobody looks any more.
 */
export function useLinkPreview<T>(kind: 'set-up' | 'invitations', isUsed: boolean) {
  const token = useLinkToken();
  const preview = useQuery({
    queryKey: [kind, token],
    queryFn: ({ signal }) =>
      api.post<T>(`/console/${kind}/look`, { token }, { signal, staysOnUnauthorized: true }),
    enabled: token !== '' && !isUsed,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isDead =
    token === '' || isRefusal(preview.error, 'not_found') || isRefusal(preview.error, 'invalid_request');
  return { token, preview, isDead };
}
