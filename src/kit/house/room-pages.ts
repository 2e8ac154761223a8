/** Every page that rooms show, by path. A face lists them, asks for the data and renders it. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { RoomPage } from '../../core/schema/room.ts';
import { type DaemonRoom, rooms } from '../../app/rooms.ts';
import { type ReadOptions, withViews } from './open-views.ts';

export function roomPages(list: readonly DaemonRoom[] = rooms): ReadonlyMap<string, RoomPage> {
  const pages = new Map<string, RoomPage>();
  for (const room of list)
    for (const [path, page] of Object.entries(room.pages ?? {})) {
      if (pages.has(path))
        throw new OkaError('refused', `the room ${room.name} shows a page that there is already: ${path}`);
      pages.set(path, page);
    }
  return pages;
}

/** The data of a page, out of rows that are up to date; a face may show the progress of reading them. */
export function queryPage(
  home: Home,
  path: string,
  params: Readonly<Record<string, string>>,
  { rooms: list = rooms, ...reading }: ReadOptions = {},
): Promise<unknown> {
  const page = roomPages(list).get(path);
  if (page === undefined) throw new OkaError('usage', `there is no page "${path}"`);
  return withViews(home, (rows) => page.query({ home, rows, params }), { rooms: list, ...reading });
}
