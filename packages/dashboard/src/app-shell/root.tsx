import { Outlet } from 'react-router';
import { Announcements } from '../ui/announce.tsx';

/** Around every page, signed in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <Announcements />
    </>
  );
}
