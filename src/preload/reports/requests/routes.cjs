'use strict';

/** As many routes as a program may have; paths contain ids and are unlimited. */
const routesMax = 500;
const pathsMax = 2_000;

class Route {
  constructor(text) {
    this.text = text;
    /** What spans of this route have in common, encoded, by method and status. */
    this.encoded = new Map();
  }
}

const routes = new Map();
const paths = new Map();
const other = new Route('/*');

function routeOf(text) {
  const known = routes.get(text);
  if (known !== undefined) return known;
  if (routes.size >= routesMax) return other;
  const route = new Route(text);
  routes.set(text, route);
  return route;
}

/** The route of a path that no framework knows: its ids are left out. */
function routeOfPath(url) {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const known = paths.get(path);
  if (known !== undefined) return known;
  const route = routeOf(templateOf(path));
  // A part of a string keeps the whole string in memory.
  if (url.length <= pathCharsMax) remember(path, route);
  return route;
}

const pathCharsMax = 200;

function remember(path, route) {
  if (paths.size >= pathsMax) paths.clear();
  paths.set(path, route);
}

const segmentCharsMax = 40;
const segmentsMax = 12;

function templateOf(path) {
  const segments = path.split('/');
  const kept = segments.slice(0, segmentsMax).map((one) => (isId(one) ? ':id' : one));
  return (segments.length > segmentsMax ? [...kept, '*'] : kept).join('/') || '/';
}

const idForm =
  /^(?:\d[\d.,:-]*|[0-9a-f-]{8,}|[0-9A-HJKMNP-TV-Z]{26}|[a-z]{1,12}[_-][0-9a-z]*\d[0-9a-z]*)$/i;

/** Numbers, UUIDs, hashes, `order_7f3a`, and anything too long or too irregular for a word. */
function isId(segment) {
  if (segment === '' || /^v\d{1,2}$/.test(segment)) return false;
  if (segment.length > segmentCharsMax || /[%@=]/.test(segment)) return true;
  return /\d/.test(segment) && (idForm.test(segment) || (segment.match(/\d/g)?.length ?? 0) >= 4);
}

module.exports = { routeOf, routeOfPath, templateOf };
