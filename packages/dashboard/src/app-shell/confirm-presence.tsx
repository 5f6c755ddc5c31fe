/** Asks for a fresh proof of presence before a sensitive change. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { confirmPresence } from '../api/confirm-presence.ts';

/** Loaded when it is needed: most visits need none. */
const PresenceDialog = lazy(() => import('./presence-dialog.tsx'));

export interface Asked {
  methods: readonly string[];
  answer: (isConfirmed: boolean) => void;
}

export function ConfirmPresence() {
  const [asked, setAsked] = useState<Asked | null>(null);

  useEffect(() => {
    confirmPresence.asker = (methods) =>
      new Promise((resolve) => {
        setAsked({
          methods,
          answer: (isConfirmed) => {
            setAsked(null);
            resolve(isConfirmed);
          },
        });
      });
    return () => {
      confirmPresence.asker = null;
    };
  }, []);

  return (
    asked && (
      <Suspense fallback={null}>
        <PresenceDialog {...asked} />
      </Suspense>
    )
  );
}
