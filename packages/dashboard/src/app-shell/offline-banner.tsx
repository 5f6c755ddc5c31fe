import { useOnline } from '../api/use-online.ts';
import { Icon } from '../ui/icon.tsx';

/** Says so while this device has no network: what is shown may be old, and nothing can be decided. */
export function OfflineBanner() {
  const isOnline = useOnline();
  return (
    <div role="status">
      {!isOnline && (
        <div className="offline-banner">
          <Icon name="alert" />
          You are offline. What you see may be old, and nothing can be decided until you are back.
        </div>
      )}
    </div>
  );
}
