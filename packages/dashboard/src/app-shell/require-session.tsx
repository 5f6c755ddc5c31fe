/** Lets signed-in people through. Others go to sign-in and back, or see the page meant for them. */
import type { ReactNode } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useSession } from '../api/session.ts';
import { ErrorPanel, Notice } from '../ui/notice.tsx';
import { Waiting } from '../ui/waiting.tsx';
import * as words from './app-shell.words.ts';
import { FirstShell } from './first-shell.tsx';
import { signInPath } from './sign-in-path.ts';

export function RequireSession({ otherwise }: { otherwise?: ReactNode }) {
  const { data, error, refetch } = useSession();
  const { pathname, search, hash } = useLocation();
  if (data?.signed_in) return <Outlet />;
  if (data && otherwise) return otherwise;
  if (data) return <Navigate to={signInPath(`${pathname}${search}${hash}`)} replace />;
  if (error) {
    return (
      <main className="alone">
        <Offline />
        <ErrorPanel error={error} title={words.gateSilent} onRetry={() => void refetch()} />
        <p>{words.gateSilentMeans}</p>
      </main>
    );
  }
  return navigator.onLine ? (
    <FirstShell />
  ) : (
    <main className="alone">
      <Offline />
      <Waiting />
    </main>
  );
}

/** Without a network, the frame still loads but its data does not. */
function Offline() {
  if (navigator.onLine) return null;
  return (
    <Notice tone="warn" title={words.offline}>
      {words.offlineMeans}
    </Notice>
  );
}
