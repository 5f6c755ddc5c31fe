/** Around every page, signed in or not. */
import { Suspense, useEffect } from 'react';
import { type RouteObject, useLocation, useNavigate, useNavigationType, useRoutes } from 'react-router';
import { onSignedOut } from '../api/client.ts';
import { queryClient, renew } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { Announcements } from '../ui/announce.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { isWayBack } from './left-lists.ts';
import { PageBoundary } from './page-boundary.tsx';
import { signInPath } from './sign-in-path.ts';

export function App({ routes }: { routes: RouteObject[] }) {
  const page = useRoutes(routes);
  useSignInAgain();
  useScrollToTop();
  return (
    <>
      <PageBoundary>
        <Suspense fallback={<Waiting />}>{page}</Suspense>
      </PageBoundary>
      <Announcements />
    </>
  );
}

/** The session ended elsewhere, or its time is over: sign in, and come back to the same place. */
function useSignInAgain(): void {
  const navigate = useNavigate();
  useEffect(() => {
    onSignedOut(() => {
      const { pathname, search, hash } = window.location;
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
      void renew(sessionQuery.queryKey);
      void navigate(signInPath(`${pathname}${search}${hash}`), { replace: true });
    });
  }, [navigate]);
}

/** A new page begins at its top; going back leaves it to the browser, and to lists that know their place. */
function useScrollToTop(): void {
  const { pathname, state } = useLocation();
  const type = useNavigationType();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what tells one page from the next
  useEffect(() => {
    if (type !== 'POP' && !isWayBack(state)) window.scrollTo(0, 0);
  }, [pathname, type]);
}
